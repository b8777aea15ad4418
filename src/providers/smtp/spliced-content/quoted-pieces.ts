import { encode, wrap } from 'nodemailer/lib/qp';
import type { Pieces } from '../../message-pieces.js';

/** Characters of a line, without the `=` that ends a soft line break (RFC 2045, 6.7). */
const LINE = 75;
const SOFT_BREAK = '=\r\n';
/** Needs no encoding anywhere in a line, unless the line is full. A blank must not end a line. */
const LITERAL = /^(?:[ -<>-~]*[!-<>-~])?$/;

interface QuotedPiece {
  readonly text: string;
  /** Length of the last line. */
  readonly column: number;
}

/**
 * A text whose fixed pieces are encoded as quoted-printable once. Each begins on a new line, after a soft line break,
 * so that its lines do not depend on the values before it.
 */
export class QuotedPieces {
  private readonly pieces: readonly (QuotedPiece | number)[];

  /** @param pieces without a CR that is not part of a line end */
  constructor(pieces: Pieces) {
    this.pieces = pieces
      .filter((piece) => piece !== '')
      .map((piece) => (typeof piece === 'number' ? piece : quoted(piece)));
  }

  /** @param values without CR */
  with(values: readonly string[]): string {
    let [text, column] = ['', 0];
    for (const piece of this.pieces) {
      if (typeof piece === 'number') {
        const value = values[piece]!;
        if (column + value.length <= LINE && LITERAL.test(value)) {
          text += value;
          column += value.length;
          continue;
        }
      }
      const next = typeof piece === 'number' ? quoted(values[piece]!) : piece;
      // No piece ends in a blank, which a line end of the next would remove.
      text += column === 0 || next.text.startsWith('\r\n') ? next.text : SOFT_BREAK + next.text;
      column = next.column;
    }
    return text;
  }
}

function quoted(piece: string): QuotedPiece {
  const text = wrap(encode(piece.replace(/\r?\n/g, '\r\n')), LINE);
  return { text, column: text.length - (text.lastIndexOf('\n') + 1) };
}
