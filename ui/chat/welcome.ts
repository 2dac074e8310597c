import type { TemplateResult } from 'lit';
import { html } from 'lit';
import { translate } from '../../src/elements/index.ts';
import type { AgentInfo } from '../host.ts';

/** Shown for a conversation without messages: what to try, in three lines. */
export function welcome(agent: AgentInfo): TemplateResult {
  return html`<div class="chat-welcome">
    <h2>${agent.name}</h2>
    <p>${agent.description ?? translate('Write a message to start.')}</p>
    <ol class="chat-steps">
      <li>${translate('Choose a sentence below, or write your own.')}</li>
      <li>${translate('The agent stops and asks before it acts. You decide here or in the inbox.')}</li>
      <li>
        ${translate('Close the page, or stop the server: the request is still there when you come back.')}
      </li>
    </ol>
  </div>`;
}
