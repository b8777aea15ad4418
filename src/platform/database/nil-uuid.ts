/** The UUID of zeros (RFC 9562, 5.9): lower than any ID. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';
