/** What a field holds; `Value` and `Struct` are JSON as `google/protobuf/struct.proto` has it. */
export type Kind = 'string' | 'int32' | 'int64' | 'bool' | 'Value' | RecordKind;

/** The kinds that are an object in JSON. */
export type RecordKind = 'Struct' | MessageName | UnionName;

/** A message inside an event. */
export type MessageName =
  | 'BaseEvent'
  | 'Context'
  | 'DataSource'
  | 'FileSource'
  | 'FunctionCall'
  | 'Interrupt'
  | 'MediaPart'
  | 'Message'
  | 'PatchOperation'
  | 'ResumeEntry'
  | 'RunAgentInput'
  | 'TextPart'
  | 'Tool'
  | 'ToolCall'
  | 'UrlSource'
  | 'Usage';

/** A oneof that JSON spells as an object with a `type`. */
export type UnionName = 'ContentPart' | 'Source';

/**
 * How the table spells a field, as TypeScript would: `string` is always there in JSON and left out on the
 * wire when empty; `string?` may be absent and is written even when empty; `[]` repeats, `[]?` reads as
 * absent when there are none. A null is written only for a plain `Value`, which is absent when undefined.
 */
type Notation = Kind | `${Kind}?` | `${Kind}[]` | `${Kind}[]?`;

/** Name to field number and notation, in the order of the numbers, which is the order of the bytes. */
export type FieldTable = Readonly<Record<string, readonly [number: number, notation: Notation]>>;
