/** The tags of `google/protobuf/struct.proto`: field number and wire type in one number. */
export const JSON_TAG = {
  nullValue: 8,
  numberValue: 17,
  stringValue: 26,
  boolValue: 32,
  structValue: 42,
  listValue: 50,
  structEntry: 10,
  entryKey: 10,
  entryValue: 18,
  listItem: 10,
} as const;
