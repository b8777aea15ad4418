import { readSmtpUrl } from '../../../src/platform/config/smtp-server-address.js';

it.each([
  ['smtp://user:pw@relay.example.com', { requireTLS: true, port: 587, secure: false }],
  ['smtp://user:pw@10.0.0.5:25', { requireTLS: true, port: 25 }],
  ['smtp://user:pw@relay.example.com?requireTLS=true', { requireTLS: true }],
  ['smtp://user:pw@relay.example.com?requireTLS=false', { requireTLS: false }],
  ['smtp://relay.example.com?requireTLS=true', { requireTLS: true }],
  [
    'smtp://relay.example.com?name=mail.example.com&connectionTimeout=5000&maxMessages=10',
    {
      name: 'mail.example.com',
      connectionTimeout: 5000,
      maxMessages: 10,
    },
  ],
  [
    'smtps://relay.example.com?tls.servername=mx.example.com&tls.rejectUnauthorized=false&tls.minVersion=TLSv1.3',
    {
      secure: true,
      port: 465,
      tls: { servername: 'mx.example.com', rejectUnauthorized: false, minVersion: 'TLSv1.3' },
    },
  ],
])('%s', (url, expected) => expect(readSmtpUrl(url)).toMatchObject(expected));

it.each([
  'smtp://relay.example.com',
  'smtp://user:pw@localhost:1025',
  'smtp://user:pw@127.0.0.1:1025',
  'smtp://user:pw@[::1]:1025',
  'smtp://user:pw@relay.example.com?ignoreTLS=true',
  'smtps://user:pw@relay.example.com',
])('%s does not require STARTTLS', (url) => expect(readSmtpUrl(url)).not.toHaveProperty('requireTLS'));

it.each(['logger=true', 'disableFileAccess=false', 'pool=false', 'requireTls=true', 'requireTLS=yes', 'constructor=1'])(
  'refuses %s',
  (option) => expect(() => readSmtpUrl(`smtp://relay.example.com?${option}`)).toThrow(option.split('=')[0]!),
);
