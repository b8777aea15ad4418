import { reportTypeOf, typeInBase64 } from '../../src/providers/message-parts.js';
import { outgoingAttachment } from '../support/outgoing-email.js';

it('a report whose part names its character set is one', () => {
  const status = outgoingAttachment(Buffer.from('Action: failed\r\n'), {
    contentType: 'message/global-delivery-status; charset=utf-8',
  });
  expect(reportTypeOf({ attachments: [status] })).toBe('delivery-status');
});

it('a message whose part names its character set is one', () => {
  expect(typeInBase64('message/rfc822; charset=us-ascii')).toBe('application/octet-stream');
});
