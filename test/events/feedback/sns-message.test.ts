import { createSign, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import {
  isSignedWith,
  readSnsMessage,
  snsCertificateUrl,
  snsUrl,
} from '../../../src/events/feedback/ses/sns-message.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
const CERTIFICATE = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem';

/** The texts that SNS signs, as its documentation shows them. */
const BASE = {
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:eu-west-1:123456789012:mail',
  Timestamp: '2026-03-01T09:31:02.669Z',
  Message: '{"eventType":"Delivery"}\n"é"',
};
const NOTICE = { ...BASE, Type: 'Notification' };
const NOTICE_TEXT = `Message\n${BASE.Message}\nMessageId\n${BASE.MessageId}\nTimestamp\n${BASE.Timestamp}\nTopicArn\n${BASE.TopicArn}\nType\nNotification\n`;
const WITH_SUBJECT = NOTICE_TEXT.replace('Timestamp\n', 'Subject\nNews\nTimestamp\n');
const SUBSCRIPTION = { ...BASE, Type: 'SubscriptionConfirmation', Token: 'abc', SubscribeURL: 'https://x.example/' };
const SUBSCRIPTION_TEXT = `Message\n${BASE.Message}\nMessageId\n${BASE.MessageId}\nSubscribeURL\nhttps://x.example/\nTimestamp\n${BASE.Timestamp}\nToken\nabc\nTopicArn\n${BASE.TopicArn}\nType\nSubscriptionConfirmation\n`;

function signed(fields: object, text: string, version = '1'): Record<string, unknown> {
  const Signature = createSign(version === '1' ? 'sha1' : 'sha256')
    .update(text)
    .sign(privateKey, 'base64');
  return { ...fields, SignatureVersion: version, Signature, SigningCertURL: CERTIFICATE };
}

it.each([
  ['a notification', NOTICE, NOTICE_TEXT],
  ['one with a subject', { ...NOTICE, Subject: 'News' }, WITH_SUBJECT],
  ['a subscription', SUBSCRIPTION, SUBSCRIPTION_TEXT],
])('verifies %s in both versions', (_, fields, text) => {
  for (const version of ['1', '2']) {
    const message = readSnsMessage(signed(fields, text, version))!;
    expect([isSignedWith(publicKey, message), isSignedWith(foreign, message)]).toEqual([true, false]);
    const other = readSnsMessage({ ...signed(fields, text, version), Message: 'other' })!;
    expect(isSignedWith(publicKey, other)).toBe(false);
    const topic = readSnsMessage({ ...signed(fields, text, version), TopicArn: 'arn:other' })!;
    expect(isSignedWith(publicKey, topic)).toBe(false);
  }
});

it('does not accept a signature of one version as one of the other', () => {
  const message = readSnsMessage({ ...signed(NOTICE, NOTICE_TEXT, '2'), SignatureVersion: '1' })!;
  expect(isSignedWith(publicKey, message)).toBe(false);
});

it('verifies with RSA keys only', () => {
  const { publicKey: curve } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  expect(isSignedWith(curve, readSnsMessage(signed(NOTICE, NOTICE_TEXT))!)).toBe(false);
});

it.each([
  ['Type', 'Other'],
  ['Type', undefined],
  ['SignatureVersion', '3'],
  ['SignatureVersion', 1],
  ['Signature', 'short'],
  ['Signature', '!'.repeat(344)],
  ['SigningCertURL', 5],
  ['TopicArn', undefined],
  ['Message', {}],
  ['MessageId', undefined],
  ['Timestamp', 'soon'],
])('reads no message whose %s is %j', (name, value) => {
  expect(readSnsMessage({ ...signed(NOTICE, NOTICE_TEXT), [name]: value })).toBeUndefined();
});

it('never throws for any JSON', () => {
  fc.assert(fc.property(fc.anything(), (value) => void readSnsMessage(value)));
});

it.each([
  CERTIFICATE,
  'https://sns.cn-north-1.amazonaws.com.cn/a.pem',
  'https://sns.us-gov-west-1.amazonaws.com/a.pem',
])('takes a certificate from %s', (url) => expect(snsCertificateUrl(url)?.href).toBe(url));

it.each([
  'http://sns.eu-west-1.amazonaws.com/a.pem',
  'https://sns.eu-west-1.amazonaws.com.evil.example/a.pem',
  'https://sns.eu-west-1.amazonaws.com@evil.example/a.pem',
  'https://user@sns.eu-west-1.amazonaws.com/a.pem',
  'https://sns.eu-west-1.amazonaws.com:8443/a.pem',
  'https://evil.example/sns.eu-west-1.amazonaws.com/a.pem',
  'https://bucket.s3.eu-west-1.amazonaws.com/a.pem',
  'https://sns.eu-west-1.amazonaws.com./a.pem',
  'https://xsns.eu-west-1.amazonaws.com/a.pem',
  'https://sns.eu-west-1.amazonaws.com/../x/a.pem',
  'https://sns.eu-west-1.amazonaws.com/a.pem?Action=x',
  'https://sns.eu-west-1.amazonaws.com/?Action=x&y=a.pem',
  'https://sns.eu-west-1.amazonaws.com/a%2fb.pem',
  'https://sns.eu-west-1.amazonaws.com/a.txt',
  'a.pem',
  '',
])('takes no certificate from %s', (url) => {
  expect(snsCertificateUrl(url)).toBeUndefined();
});

it('takes a subscription address with a query at SNS only', () => {
  const query = '/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:eu-west-1:1:mail&Token=abc';
  expect(snsUrl(`https://sns.eu-west-1.amazonaws.com${query}`)).toBeDefined();
  expect(snsUrl(`https://evil.example${query}`)).toBeUndefined();
});
