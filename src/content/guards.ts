import type { ChatContent, MediaContent } from './chat-content.ts';

/** Any part with a `type`, built-in or custom. */
interface Typed {
  readonly type: string;
}

type ContentOf<Type extends ChatContent['type']> = Type extends MediaContent['type']
  ? MediaContent & { readonly type: Type }
  : Extract<ChatContent, { readonly type: Type }>;

function guard<Type extends ChatContent['type']>(type: Type) {
  return (content: Typed): content is ContentOf<Type> => content.type === type;
}

/** One type guard per part type. */
export const isTextContent = /* @__PURE__ */ guard('text');
export const isReasoningContent = /* @__PURE__ */ guard('reasoning');
export const isImageContent = /* @__PURE__ */ guard('image');
export const isAudioContent = /* @__PURE__ */ guard('audio');
export const isVideoContent = /* @__PURE__ */ guard('video');
export const isFileContent = /* @__PURE__ */ guard('file');
export const isFunctionCall = /* @__PURE__ */ guard('functionCall');
export const isFunctionResult = /* @__PURE__ */ guard('functionResult');
export const isFunctionApprovalRequest = /* @__PURE__ */ guard('functionApprovalRequest');
export const isFunctionApprovalResponse = /* @__PURE__ */ guard('functionApprovalResponse');
export const isUserInputRequest = /* @__PURE__ */ guard('userInputRequest');
export const isUserInputResponse = /* @__PURE__ */ guard('userInputResponse');
export const isErrorContent = /* @__PURE__ */ guard('error');

/** True for an image, audio, video or another file. */
export function isMediaContent(content: Typed): content is MediaContent {
  return (
    isImageContent(content) || isAudioContent(content) || isVideoContent(content) || isFileContent(content)
  );
}
