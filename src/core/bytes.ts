/** The bytes of a file: `Uint8Array<ArrayBuffer>` if TypeScript knows that type (5.7 and newer), else `Uint8Array`. */
export type Bytes = ReturnType<InstanceType<typeof TextEncoder>['encode']>;
