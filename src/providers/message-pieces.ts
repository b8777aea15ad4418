/** Fixed text, and the indexes of values. Emails of one message share the same list where possible. */
export type Pieces = readonly (string | number)[];

export interface MessagePieces {
  readonly html: Pieces;
  readonly text: Pieces;
  readonly values: readonly string[];
}

export function joinPieces(pieces: Pieces, values: readonly string[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : values[piece]!)).join('');
}
