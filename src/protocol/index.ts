/** protocol: AG-UI events, their wire forms and what they mean. Imports core only; no Node built-in, no zod. */
export {};
