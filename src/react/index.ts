/**
 * react: hooks over the client and components over the elements, for React 18 and 19. Import `holdpoint/elements.css` in your
 * app. Imports core, protocol, client and elements.
 */
'use client';

export type { ChatProps, HistoryProps, InboxProps, InterruptCardProps } from './components.ts';
export { Chat, History, Inbox, InterruptCard } from './components.ts';
export type { HoldpointProviderProps } from './holdpoint-provider.ts';
export { HoldpointProvider } from './holdpoint-provider.ts';
export type { InboxView, InterruptView, ThreadView } from './hooks.ts';
export { useInbox, useInterrupt, useInterrupts, useThread } from './hooks.ts';
export type { AssistantUiInterruptsProps, CopilotInterruptProps } from './library-cards.ts';
export { AssistantUiInterrupts, copilotInterruptRenderer } from './library-cards.ts';
