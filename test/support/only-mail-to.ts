import { simpleParser, type ParsedMail } from 'mailparser';
import type { TestService } from './service.js';

/** The only message to an address. */
export function onlyMailTo({ mailServer }: TestService, address: string): Promise<ParsedMail> {
  const found = mailServer.messages.filter(({ recipients }) => recipients.includes(address));
  expect(found).toHaveLength(1);
  return simpleParser(found[0]!.content);
}
