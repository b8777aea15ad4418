import { findUnsafeField } from '../../src/providers/header-safety.js';
import { outgoingEmail } from '../support/outgoing-email.js';

it.each(['a@b', '@a@b', 'a@@', 'a@b@c', '@@@'])('sends the Message-ID <%s>, which submission accepts', (messageId) => {
  expect(findUnsafeField(outgoingEmail({ messageId }))).toBeUndefined();
});

it.each(['', '@', '@@', '@a', 'a@', 'a', 'a@b c', 'a@b>', 'é@a'])('does not send the Message-ID <%s>', (messageId) => {
  expect(findUnsafeField(outgoingEmail({ messageId }))).toBe('messageId');
});
