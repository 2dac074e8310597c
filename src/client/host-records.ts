import { defined } from '../core/index.ts';
import type { Interrupt, Message } from '../protocol/index.ts';
import { askHost, queryOf, sendToHost, threadPath } from './ask-host.ts';
import type { Inbox, InboxSession } from './inbox.ts';
import { createInbox } from './inbox.ts';

/** A part of a list. */
export interface PageQuery {
  /** `next` of the page before. Default: the first page. */
  readonly cursor?: string;
  /** Most rows on a page, at most 500. Default 50. */
  readonly limit?: number;
}

/** Which threads to list. */
export interface ThreadFilter extends PageQuery {
  /** Id of the agent. Default: every agent. */
  readonly agent?: string;
  /** States of the threads, joined by commas: `idle`, `active`, `waiting`, `failed`. Default: every state. */
  readonly status?: string;
  /** Contained in the title. */
  readonly text?: string;
  /** Default `created`: the oldest first. */
  readonly order?: 'created' | 'newest';
}

/** A thread of a host. */
export interface ThreadInfo {
  /** Id of the thread. */
  readonly threadId: string;
  /** Id of its agent. */
  readonly agent: string;
  /** `idle`, `active`, `waiting` for answers, or `failed`. */
  readonly status: string;
  /** Title of the thread; absent without one. */
  readonly title?: string;
  /** ISO 8601 time; only in lists. */
  readonly createdAt?: string;
  readonly [member: string]: unknown;
}

/** A page of threads. */
export interface ThreadPage {
  /** The threads. */
  readonly threads: readonly ThreadInfo[];
  /** Cursor of the next page; absent on the last page. */
  readonly next?: string;
}

/** A thread with its content. */
export interface ThreadDetails extends ThreadInfo {
  /** The conversation. */
  readonly messages: readonly Message[];
  /** The shared state. */
  readonly state: unknown;
  /** The interrupts without an answer. */
  readonly interrupts: readonly Interrupt[];
}

/** The threads of a Holdpoint host. Every method throws a `HoldpointError` with the host's code. */
export interface Threads {
  /** Lists threads, page by page. */
  list(filter?: ThreadFilter, signal?: AbortSignal): Promise<ThreadPage>;
  /** Loads one thread. */
  get(threadId: string): Promise<ThreadDetails>;
  /** Changes the title. */
  rename(threadId: string, title: string): Promise<void>;
  /** Deletes a thread; its history stays. */
  remove(threadId: string): Promise<void>;
  /** Deletes a thread of the caller, and the values of its history. */
  erase(threadId: string): Promise<void>;
  /** Continues a thread whose run failed or was lost. `runId` is absent if no run started. */
  continue(threadId: string): Promise<{ readonly state: string; readonly runId?: string }>;
}

/** A remembered decision of a host. */
export interface GrantInfo {
  /** Id, to revoke it. */
  readonly id: string;
  /** Name of the tool whose calls it allows. */
  readonly toolName: string;
  readonly [member: string]: unknown;
}

/** The remembered decisions of a Holdpoint host. Every method throws a `HoldpointError` with the host's code. */
export interface GrantList {
  /** Lists the decisions that the caller may see, page by page. A page may be short. */
  list(page?: PageQuery): Promise<{ readonly grants: readonly GrantInfo[]; readonly next?: string }>;
  /** Revokes a decision: no call starts by it afterwards. An unknown id changes nothing. */
  revoke(grantId: string): Promise<void>;
}

/** A file of a thread. */
export interface FileInfo {
  /** Id, which an answer names. */
  readonly id: string;
  /** Name of the file. */
  readonly name: string;
  /** Media type, as the uploader said it. */
  readonly type: string;
  /** Size in bytes. */
  readonly size: number;
  readonly [member: string]: unknown;
}

/** The files of the threads of a Holdpoint host. Every method throws a `HoldpointError` with the host's code. */
export interface ThreadFiles {
  /** Uploads a file. `name`: default the name of a `File`, else `file`. */
  upload(
    threadId: string,
    file: Blob,
    options?: { readonly name?: string; readonly signal?: AbortSignal },
  ): Promise<FileInfo>;
  /** Lists the files of a thread, page by page. */
  list(
    threadId: string,
    page?: PageQuery,
  ): Promise<{ readonly files: readonly FileInfo[]; readonly next?: string }>;
  /** Downloads a file. */
  read(threadId: string, fileId: string): Promise<Blob>;
}

/** What a host keeps. */
export interface HostRecords {
  readonly inbox: Inbox;
  readonly threads: Threads;
  readonly grants: GrantList;
  readonly files: ThreadFiles;
}

/** The interrupts, threads, grants and files of a host over HTTP. */
export function createHostRecords(session: InboxSession): HostRecords {
  const { connection } = session;
  const change = async (path: string, request: Parameters<typeof sendToHost>[2]): Promise<void> => {
    await sendToHost(connection, path, request);
  };
  const filesOf = (threadId: string) => `${threadPath(threadId)}/files`;
  return {
    inbox: createInbox(session),
    threads: {
      list: (filter = {}, signal) => askHost(connection, `/threads${queryOf(filter)}`, defined({ signal })),
      get: (threadId) => askHost(connection, threadPath(threadId)),
      rename: (threadId, title) => change(threadPath(threadId), { method: 'PATCH', body: { title } }),
      remove: (threadId) => change(threadPath(threadId), { method: 'DELETE' }),
      erase: (threadId) => change(`${threadPath(threadId)}/erase`, { body: {} }),
      continue: (threadId) => askHost(connection, `${threadPath(threadId)}/continue`, { body: {} }),
    },
    grants: {
      list: (page = {}) => askHost(connection, `/grants${queryOf(page)}`),
      revoke: (grantId) => change(`/grants/${encodeURIComponent(grantId)}`, { method: 'DELETE' }),
    },
    files: {
      async upload(threadId, file, { name = 'name' in file ? String(file.name) : 'file', signal } = {}) {
        const path = filesOf(threadId) + queryOf({ name });
        const uploaded = await askHost<{ file: FileInfo }>(connection, path, {
          body: file,
          headers: { 'content-type': file.type === '' ? 'application/octet-stream' : file.type },
          ...defined({ signal }),
        });
        return uploaded.file;
      },
      list: (threadId, page = {}) => askHost(connection, filesOf(threadId) + queryOf(page)),
      read: async (threadId, fileId) =>
        (await sendToHost(connection, `${filesOf(threadId)}/${encodeURIComponent(fileId)}`)).blob(),
    },
  };
}
