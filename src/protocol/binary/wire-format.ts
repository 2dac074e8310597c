/** The media type of binary AG-UI, without parameters: official clients compare the whole string. */
export const AGUI_BINARY_MEDIA_TYPE = 'application/vnd.ag-ui.event+proto';

/** Bytes of the length before each event of a stream: 32 bits, big-endian. */
export const PREFIX_LENGTH = 4;
