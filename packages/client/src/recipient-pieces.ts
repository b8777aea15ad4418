import type { BroadcastRecipient, UploadedRecipients } from './api-types.js';

const PIECE_LENGTH = 1_000;
const PIECE_CHARACTERS = 500_000;
/** The maximum that one response of the service lists. */
const MAX_INVALID = 100;

interface Piece {
  /** The number of recipients before it. */
  readonly before: number;
  /** A recipient on each line (NDJSON). */
  readonly text: string;
}

/** Splits any number of recipients into bodies that can be sent again. */
export async function* recipientPieces(
  recipients: Iterable<BroadcastRecipient> | AsyncIterable<BroadcastRecipient>,
): AsyncGenerator<Piece, void> {
  let [before, count, text] = [0, 0, ''];
  for await (const recipient of recipients) {
    text += `${JSON.stringify(recipient)}\n`;
    count += 1;
    if (count < PIECE_LENGTH && text.length < PIECE_CHARACTERS) continue;
    yield { before, text };
    [before, count, text] = [before + count, 0, ''];
  }
  if (count > 0) yield { before, text };
}

/** @param before the number of recipients before those of `piece` */
export function addResults(total: UploadedRecipients, piece: UploadedRecipients, before: number): UploadedRecipients {
  const invalid = piece.invalid.map((one) => ({ ...one, line: one.line + before }));
  return {
    added: total.added + piece.added,
    repeated: total.repeated + piece.repeated,
    suppressed: total.suppressed + piece.suppressed,
    invalidTotal: total.invalidTotal + piece.invalidTotal,
    invalid: [...total.invalid, ...invalid].slice(0, MAX_INVALID),
  };
}
