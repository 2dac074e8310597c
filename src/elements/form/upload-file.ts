import { translate } from '../base/strings.ts';
import type { Upload } from './field-control.ts';
import type { UploadedFile } from './field.ts';

/** Where files are uploaded to. */
export interface UploadOptions {
  /** URL of the agent. Default: an agent of the page's own host. */
  readonly agentUrl?: string | undefined;
  /** Headers of each upload. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Uploads files to a thread of the host that has the agent at `agentUrl`; by default the host of the page. `headers` are sent
 * with each file. Uses XMLHttpRequest, because fetch reports no upload progress.
 */
export function uploadTo(threadId: string, { agentUrl = '', headers = {} }: UploadOptions = {}): Upload {
  const base = agentUrl.replace(/\/agents\/.*$/, '');
  return (file, onProgress) =>
    new Promise<UploadedFile>((resolve, reject) => {
      const request = new XMLHttpRequest();
      const path = `${base}/threads/${encodeURIComponent(threadId)}/files?name=${encodeURIComponent(file.name)}`;
      request.open('POST', path);
      request.setRequestHeader('content-type', file.type === '' ? 'application/octet-stream' : file.type);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.responseType = 'json';
      request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
        if (lengthComputable) onProgress(loaded / total);
      });
      request.addEventListener('load', () => {
        // The response of the host: the file or an error.
        const body = request.response as { file?: UploadedFile; error?: { message?: string } } | null;
        if (request.status < 300 && body?.file !== undefined) resolve(body.file);
        else
          reject(new Error(body?.error?.message ?? translate('The file could not be uploaded. Try again.')));
      });
      request.addEventListener('error', () =>
        reject(new Error(translate('The server could not be reached. Try again.'))),
      );
      request.send(file);
    });
}
