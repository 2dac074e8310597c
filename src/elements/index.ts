/**
 * elements: the user interface: cards for interrupts, forms from schemas, the inbox, its history, a conversation.
 * Lit in the light DOM, styled by `elements.css` with the names of shadcn's tokens. Imports core, protocol and
 * client only.
 */
export { announce } from './base/announce.ts';
export { german } from './base/german.ts';
export { HoldpointElement } from './base/holdpoint-element.ts';
export { icon } from './base/icon.ts';
export type { IconName } from './base/icon.ts';
export type { Strings, Text, Translation } from './base/strings.ts';
export { language, setStrings, translate, translateParts } from './base/strings.ts';
export { browserStorage, setViewer } from './base/viewer-storage.ts';
export { visibleText } from './base/visible-text.ts';
export { ago, duration, moment, toWords } from './base/words.ts';
export { HoldpointChatElement } from './conversation/chat-element.ts';
export { HoldpointComposerElement } from './conversation/composer-element.ts';
export type { Card, Conversation, ConversationSnapshot } from './conversation/conversation.ts';
export { createConversation } from './conversation/create-conversation.ts';
export { givenAnswerOf } from './conversation/given-answer.ts';
export { HoldpointMessagesElement } from './conversation/messages-element.ts';
export type { InterruptEntry } from './conversation/records.ts';
export { toRecord, whoMayAnswer } from './conversation/records.ts';
export { defineElements } from './define-elements.ts';
export type { ElementProps, HoldpointTags } from './define-elements.ts';
export type { AnswerDetail, CardDetail, DecideAllDetail, HoldpointEvents, SentDetail } from './events.ts';
export type { Upload } from './form/field-control.ts';
export type { UploadedFile } from './form/field.ts';
export { uploadTo } from './form/upload-file.ts';
export { HoldpointFormElement } from './form/form-element.ts';
export type { FormResult } from './form/form-element.ts';
export { HoldpointHistoryElement } from './inbox/history-element.ts';
export { HoldpointInboxElement } from './inbox/inbox-element.ts';
export { toCsv } from './inbox/history-csv.ts';
export { isPlainApproval, itemKey, plainAnswer, recipientOf, rowTitle, toRow } from './inbox/inbox-item.ts';
export type { InboxRow } from './inbox/inbox-item.ts';
export type { InboxQuery } from './inbox/inbox-query.ts';
export { readInboxQuery, toInboxFilter, writeInboxQuery } from './inbox/inbox-query.ts';
export type { RequestOptions, RequestSnapshot, RequestStore } from './inbox/create-request.ts';
export { createRequest } from './inbox/create-request.ts';
export { createInboxStore } from './inbox/inbox-store.ts';
export type { InboxSnapshot, InboxStore } from './inbox/inbox-store.ts';
export type { CardBody, CardContext } from './interrupt/card-context.ts';
export type { CardFacts } from './interrupt/card-facts.ts';
export { cardFacts } from './interrupt/card-facts.ts';
export { registerCard } from './interrupt/card-registry.ts';
export { changesBetween } from './interrupt/changes.ts';
export type { CardStatus, GivenAnswer } from './interrupt/card-status.ts';
export { HoldpointCountdownElement } from './interrupt/countdown-element.ts';
export type { Decision } from './interrupt/decision.ts';
export { answeredWords, answerWords, DECISION_ICONS, decisionOf } from './interrupt/decision.ts';
export type { DraftStorage } from './interrupt/drafts.ts';
export { errorSentence } from './interrupt/error-sentence.ts';
export { HoldpointInterruptElement } from './interrupt/interrupt-element.ts';
export { reasonLabel } from './interrupt/reason-label.ts';
export { showValue } from './interrupt/show-value.ts';
