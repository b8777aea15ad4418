import { sesOutcome } from '../../../src/providers/ses/ses-response.js';

const email = { messageId: 'id@example.test', from: { address: 'Sender@Example.test' } };
const UNVERIFIED = 'Email address is not verified. The following identities failed the check in region EU-WEST-1: ';

function outcomeOf(status: number, error: string, message = 'Words', more: object = {}): unknown {
  return sesOutcome({ status, headers: { 'x-amzn-errortype': error }, body: { message }, ...more }, email, 0);
}

it.each([
  [400, 'BadRequestException', 'Words', { kind: 'refused' }],
  [400, 'MessageRejected', 'Words', { kind: 'refused' }],
  [400, 'MessageRejected', `${UNVERIFIED}sender@example.test`, { kind: 'refused', about: 'sender' }],
  [400, 'MessageRejected', `${UNVERIFIED}other@example.test, Sender <sender@example.test>`, { about: 'sender' }],
  [400, 'MessageRejected', `${UNVERIFIED}example.test`, { kind: 'refused', about: 'sender' }],
  [400, 'MailFromDomainNotVerifiedException', 'Words', { kind: 'retry' }],
  [400, 'AccountSuspendedException', 'Words', { kind: 'credential-refused' }],
  [
    400,
    'MessageRejected',
    'Sending paused for this account. For more information, please check the inbox of the email address associated with your AWS account.',
    { kind: 'credential-refused' },
  ],
  [400, 'MessageRejected', 'Sending suspended for this account. For more information', { kind: 'credential-refused' }],
  [400, 'MessageRejected', `${UNVERIFIED}sending.paused.for.this.account@example.test`, { kind: 'refused' }],
  [400, 'SendingPausedException:http://internal.amazon.com/', 'Words', { kind: 'credential-refused' }],
  [404, 'NotFoundException', 'Configuration set <x> does not exist', { kind: 'credential-refused' }],
  [404, 'UnknownOperationException', 'Words', { kind: 'credential-refused' }],
  [404, '', '', { kind: 'credential-refused' }],
  [405, '', '', { kind: 'credential-refused' }],
  [403, 'com.amazonaws#InvalidClientTokenId', 'Words', { kind: 'credential-refused' }],
  [403, 'SignatureDoesNotMatch', 'Words', { kind: 'credential-refused' }],
  [403, 'AccessDeniedException', 'not authorized to perform ses:SendEmail', { kind: 'credential-refused' }],
  [403, 'AccessDeniedException', 'on resource arn:aws:ses:eu-west-1:1:identity/example.test', { kind: 'retry' }],
  [401, '', 'Words', { kind: 'credential-refused' }],
  [429, 'TooManyRequestsException', 'Maximum sending rate exceeded', { kind: 'throttled', pauseMs: 30_000 }],
  [400, 'ThrottlingException', 'Words', { kind: 'throttled', pauseMs: 30_000 }],
  [400, 'LimitExceededException', 'Daily message quota exceeded', { kind: 'throttled', pauseMs: 900_000 }],
  [400, 'Throttling', 'Sending quota of 200 in 24 hours exceeded', { kind: 'throttled', pauseMs: 900_000 }],
  [413, 'RequestEntityTooLarge', 'Words', { kind: 'refused' }],
  [500, 'InternalFailure', 'Words', { kind: 'ambiguous' }],
  [504, '', 'Words', { kind: 'ambiguous' }],
  [400, 'RequestAbortedException', 'Words', { kind: 'ambiguous' }],
  [408, '', 'Words', { kind: 'ambiguous' }],
  [503, 'ServiceUnavailable', 'Words', { kind: 'retry' }],
  [307, '', 'Words', { kind: 'retry' }],
])('%i %s (%s): %j', (status, error, message, outcome) => {
  expect(outcomeOf(status, error, message)).toMatchObject(outcome);
});

it.each(['__type', 'code'])('reads the name of an error without a header from %s', (field) => {
  const body = { [field]: 'com.amazonaws.sesv2#ThrottlingException', message: 'Words' };
  expect(sesOutcome({ status: 400, headers: {}, body }, email, 0)).toMatchObject({ kind: 'throttled' });
});

it('refuses the email, not its sender, if SES names an unverified recipient', () => {
  expect(outcomeOf(400, 'MessageRejected', `${UNVERIFIED}reader@example.test`)).toEqual({
    kind: 'refused',
    reason: `SES responded with 400: MessageRejected: ${UNVERIFIED}reader@example.test`,
  });
});

it('does not hold the mail of all others for a 403 that it did not read to the end', () => {
  expect(outcomeOf(403, 'AccessDeniedException', '', { body: '{"mess', isCut: true })).toMatchObject({ kind: 'retry' });
});

it('fails no email for a 400 that it did not read to the end, because that may be about the account', () => {
  expect(outcomeOf(400, 'MessageRejected', '', { body: '{"mess', isCut: true })).toMatchObject({ kind: 'retry' });
});

it('returns our Message-ID if an acceptance names none', () => {
  expect(sesOutcome({ status: 200, headers: {}, body: '' }, email, 0)).toMatchObject({
    kind: 'accepted',
    providerId: 'id@example.test',
  });
});
