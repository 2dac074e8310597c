import { Agent, request as send } from 'node:http';

/** `fetch` would cost the load generator more than some servers need for the request. */
const agent = new Agent({ keepAlive: true });

/**
 * Sends a request and reads the response as text: to its end, or until `until(text)` is true, which leaves the rest unread. With `keep`,
 * resolves with the first piece and keeps the response open. Throws on a status from 400 on.
 */
export function request(url, options = {}) {
  const { method = 'GET', headers = {}, body, until, keep = false } = options;
  const data = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const all = {
    ...headers,
    ...(data === undefined ? {} : { 'content-type': 'application/json', 'content-length': data.length }),
  };
  return new Promise((resolve, reject) => {
    const sent = send(url, { method, agent, headers: all }, (response) => {
      let text = '';
      const done = () => {
        if (response.statusCode >= 400) {
          reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 300)}`));
        } else resolve({ status: response.statusCode, text });
      };
      response.setEncoding('utf8');
      response.on('data', (piece) => {
        text += piece;
        if (keep) done();
        if (until?.(text) !== true) return;
        done();
        response.destroy();
      });
      response.on('end', done);
      response.on('error', reject);
    });
    sent.on('error', (error) => {
      // The server closed an idle connection at the moment of its use, so it did not read the request.
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(request(url, options));
      else reject(error);
    });
    sent.end(data);
  });
}

/** The data of the frames of an event stream, as JSON; frames that are not JSON are left out. */
export function framesOf(text) {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('data: {')) return [];
    return [JSON.parse(line.slice(6))];
  });
}
