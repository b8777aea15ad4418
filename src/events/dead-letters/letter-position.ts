import { NIL_UUID } from '../../platform/database/nil-uuid.js';

/** Time and ID of a dead letter: where a walk over all of them has come. */
interface PlacedLetter {
  readonly id: string;
  readonly createdAt: Date;
}

/** What a walk stores between its pages. */
export function letterPosition({ createdAt, id }: PlacedLetter): string {
  return `${createdAt.toISOString()} ${id}`;
}

/** The time and the ID from `letterPosition`; those before every letter for an empty text. */
export function readLetterPosition(position: string): readonly [time: string, id: string] {
  const [time = '', id = NIL_UUID] = position.split(' ');
  return [time === '' ? new Date(0).toISOString() : time, id];
}
