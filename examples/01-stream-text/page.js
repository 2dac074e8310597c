/**
 * Posts a message, shows the answer as it comes, and every event below it. No library: an SSE frame is one line of
 * JSON.
 */
const [form, message, send, stop, status, answer, events, count] = [
  'form',
  'message',
  'send',
  'stop',
  'status',
  'answer',
  'events',
  'count',
].map((id) => document.getElementById(id));

const threadId = crypto.randomUUID();
let running = new AbortController();

form.addEventListener('submit', (submitted) => {
  submitted.preventDefault();
  if (!send.hidden) void ask();
});

stop.addEventListener('click', () => running.abort());

async function ask() {
  running = new AbortController();
  begin();
  try {
    await run(message.value, running.signal);
  } catch (error) {
    status.textContent = running.signal.aborted ? 'Stopped' : `Failed: ${error.message}`;
  } finally {
    finish();
  }
}

function begin() {
  answer.replaceChildren();
  events.replaceChildren();
  answer.setAttribute('aria-busy', 'true');
  status.textContent = 'Writing';
  swap(send, stop);
}

function finish() {
  answer.setAttribute('aria-busy', 'false');
  // A stream without its last event was cut off: do not call it done.
  if (status.textContent === 'Writing') status.textContent = 'Ended early';
  swap(stop, send);
}

/** Shows one button in place of the other, and moves the focus if it was on the first. */
function swap(from, to) {
  const focused = document.activeElement === from;
  from.hidden = true;
  to.hidden = false;
  if (focused) to.focus();
}

async function run(content, signal) {
  const messages = [{ id: crypto.randomUUID(), role: 'user', content }];
  const input = { threadId, runId: crypto.randomUUID(), messages, tools: [], context: [] };
  const response = await fetch('/agent', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(input),
    signal,
  });
  if (!response.ok) throw new Error(`the server answered with status ${response.status}`);
  for await (const event of eventsOf(response.body)) show(event);
}

async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (rest + value).split('\n\n');
    rest = frames.pop();
    // Other frames are comments that keep the connection open.
    for (const frame of frames) if (frame.startsWith('data: ')) yield JSON.parse(frame.slice(6));
  }
}

function show(event) {
  if (event.type === 'TEXT_MESSAGE_CONTENT') answer.append(event.delta);
  if (event.type === 'RUN_FINISHED') status.textContent = 'Done';
  if (event.type === 'RUN_ERROR') status.textContent = event.message;
  list(event);
}

function list({ type, timestamp, ...fields }) {
  const atEnd = events.scrollTop + events.clientHeight >= events.scrollHeight - 8;
  const item = document.createElement('li');
  const name = document.createElement('strong');
  const time = document.createElement('time');
  const body = document.createElement('code');
  name.textContent = type;
  name.dataset.kind = type.startsWith('RUN') ? 'run' : 'text';
  time.textContent = new Date(timestamp).toISOString().slice(11, 23);
  body.textContent = JSON.stringify(fields);
  item.append(name, time, body);
  events.append(item);
  count.textContent = `${events.childElementCount} event${events.childElementCount === 1 ? '' : 's'}`;
  if (atEnd) events.scrollTop = events.scrollHeight;
}
