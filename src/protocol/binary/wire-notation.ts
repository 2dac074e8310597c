/** The type of a field; `Value` and `Struct` are the JSON types of `google/protobuf/struct.proto`. */
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

/** A oneof that JSON writes as an object with a `type`. */
export type UnionName = 'ContentPart' | 'Source';

/**
 * The notation of a field, as in TypeScript: `string` is always present in JSON and left out on the wire when
 * empty; `string?` may be absent and is written even when empty; `[]` repeats, `[]?` reads as absent when empty. A
 * null is written only for a plain `Value`, which is absent when undefined.
 */
type Notation = Kind | `${Kind}?` | `${Kind}[]` | `${Kind}[]?`;

/** Name to field number and notation, in the order of the numbers and of the bytes. */
export type FieldTable = Readonly<Record<string, readonly [number: number, notation: Notation]>>;
