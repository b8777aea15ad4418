import { addressParser } from 'postal-mime';
import { addressKey, formatMailbox, parseMailbox } from '../../mailbox.js';
import { plainName } from '../../accept/plain-text.js';
import { fieldOf, type HeaderField } from './header-fields.js';

/** Longer lists are not read: their recipients have no names. */
const MAX_LENGTH = 8_000;

/** Returns a function that adds to an address the name that the message gives it in To or Cc. */
export function readRecipientNames(fields: readonly HeaderField[]): (address: string) => string {
  const lists = ['to', 'cc'].map((name) => fieldOf(fields, name) ?? '').filter(({ length }) => length <= MAX_LENGTH);
  const mailboxes = lists.flatMap((list) => addressParser(list, { flatten: true }));
  const names = new Map(mailboxes.map(({ address = '', name }) => [addressKey(address), name]));
  return (address) => {
    const name = names.get(addressKey(address));
    const named = name && isPlain(name) ? formatMailbox({ name, address }) : address;
    return parseMailbox(named) ? named : address;
  };
}

/** A name that would refuse the message is left out. */
function isPlain(name: string): boolean {
  try {
    return plainName('to', name) !== '';
  } catch {
    return false;
  }
}
