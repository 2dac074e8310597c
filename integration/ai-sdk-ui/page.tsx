/** A chat as AI SDK's pages show it, with nothing of Holdpoint in it but the address. */
import { useChat } from '@ai-sdk/react';
import type { UIMessage } from 'ai';
import {
  DefaultChatTransport,
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from 'ai';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

const query = new URLSearchParams(location.search);
const api = `/agents/${query.get('agent') ?? 'assistant'}/ui-message-stream`;

function Chat({ id, initial }: { id: string; initial: UIMessage[] }) {
  const [input, setInput] = useState('');
  const { messages, sendMessage, addToolApprovalResponse, addToolOutput, error, status } = useChat({
    id,
    messages: initial,
    resume: true,
    transport: new DefaultChatTransport({ api }),
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
      lastAssistantMessageIsCompleteWithToolCalls(options),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    void sendMessage({ text: input });
    setInput('');
  };
  return (
    <>
      {messages.map((message) => (
        <div key={message.id} data-role={message.role}>
          {message.parts.map((part, index) => {
            if (part.type === 'text') return <p key={index}>{part.text}</p>;
            if (!isToolUIPart(part)) return null;
            const tool = getToolName(part);
            return (
              <section key={part.toolCallId} aria-label={tool} data-state={part.state}>
                {JSON.stringify(part.input)}
                {part.state === 'approval-requested' && (
                  <>
                    <button
                      onClick={() => void addToolApprovalResponse({ id: part.approval.id, approved: true })}
                    >
                      Approve
                    </button>
                    <button
                      onClick={() =>
                        void addToolApprovalResponse({
                          id: part.approval.id,
                          approved: false,
                          reason: 'over budget',
                        })
                      }
                    >
                      Deny
                    </button>
                  </>
                )}
                {tool === 'choose' && part.state === 'input-available' && (
                  <button
                    onClick={() => void addToolOutput({ tool, toolCallId: part.toolCallId, output: 'red' })}
                  >
                    Red
                  </button>
                )}
                {part.state === 'output-available' && <output>{JSON.stringify(part.output)}</output>}
              </section>
            );
          })}
        </div>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={send} aria-label={status}>
        <input value={input} onChange={(event) => setInput(event.currentTarget.value)} />
      </form>
    </>
  );
}

const id = query.get('chat') ?? 'chat';
// Of a chat that was begun before, the page has what the server keeps.
const response = await fetch(`${api}/${id}`);
const { messages: initial } = (await response.json()) as { messages: UIMessage[] };
const root = document.createElement('main');
document.body.append(root);
createRoot(root).render(<Chat id={id} initial={initial} />);
