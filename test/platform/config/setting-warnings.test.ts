import { risks, warningsOf } from '../../../src/platform/config/setting-warnings.js';
import { readSettings } from '../../../src/platform/config/settings.js';

const warnings = (environment: Record<string, string>) => warningsOf(readSettings(environment));

const named = { DATABASE_URL: 'postgres://db/m', REDIS_URL: 'redis://redis' };
const valid = {
  ...named,
  BASE_URL: 'https://track.example.com',
  SMTP_URL: 'smtps://u:p@smtp.example.com:465',
  PLATFORM_SENDING_DOMAIN: 'mail.example.com',
};

const providers = {
  sendgrid: JSON.stringify([{ id: 'a', type: 'sendgrid', apiKey: 'k' }]),
  mailgun: JSON.stringify([{ id: 'a', type: 'mailgun', apiKey: 'k', domain: 'mg.example.com' }]),
  postmark: JSON.stringify([{ id: 'a', type: 'postmark', serverToken: 'k' }]),
  resend: JSON.stringify([{ id: 'a', type: 'resend', apiKey: 'k' }]),
  ses: JSON.stringify([{ id: 'a', type: 'ses', region: 'eu-west-1', accessKeyId: 'k', secretAccessKey: 's' }]),
};

/** For every risk: settings that take it, and the setting that its warning names. */
const taken: [setting: string, environment: Record<string, string>][] = [
  ['PLATFORM_SENDING_DOMAIN', { ...valid, PLATFORM_SENDING_DOMAIN: '' }],
  [
    'PLATFORM_SENDING_DOMAIN',
    { ...valid, PLATFORM_SENDING_DOMAIN: '', SMTP_URL: '', DELIVERY_PROVIDER: 'sendgrid', SENDGRID_API_KEY: 'k' },
  ],
  ['BASE_URL', { ...valid, BASE_URL: '' }],
  ['BASE_URL', { ...valid, BASE_URL: 'https://10.0.0.7' }],
  ['BASE_URL', { ...valid, BASE_URL: 'http://track.example.com' }],
  [
    'SENDGRID_API_URL',
    { ...valid, DELIVERY_PROVIDER: 'sendgrid', SENDGRID_API_KEY: 'k', SENDGRID_API_URL: 'http://sendgrid.example.com' },
  ],
  ['SENDGRID_API_URL', { ...valid, PROVIDERS: providers.sendgrid, SENDGRID_API_URL: 'http://sendgrid.example.com' }],
  ['MAILGUN_API_URL', { ...valid, PROVIDERS: providers.mailgun, MAILGUN_API_URL: 'http://mailgun.example.com' }],
  ['POSTMARK_API_URL', { ...valid, PROVIDERS: providers.postmark, POSTMARK_API_URL: 'http://postmark.example.com' }],
  ['RESEND_API_URL', { ...valid, PROVIDERS: providers.resend, RESEND_API_URL: 'http://resend.example.com' }],
  ['SES_API_URL', { ...valid, PROVIDERS: providers.ses, SES_API_URL: 'http://ses.example.com' }],
  ['SMTP_URL', { ...valid, SMTP_URL: 'smtp://u:p@smtp.example.com?requireTLS=false' }],
  ['SMTP_URL', { ...valid, SMTP_URL: 'smtp://u:p@smtp.example.com?ignoreTLS=true' }],
  ['SMTP_URL', { ...valid, SMTP_URL: '' }],
  ['WEBHOOK_ALLOW_PRIVATE_ADDRESSES', { ...valid, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' }],
  ['REDIS_URL', { ...valid, REDIS_URL: '' }],
  ['DATABASE_URL', { ...valid, DATABASE_URL: '' }],
  ['REDIS_CLUSTER', { ...valid, REDIS_SENTINELS: 's:26379', REDIS_CLUSTER: 'c:6379' }],
  ['DATABASE_POOL_SIZE', { ...valid, WORKER_CONCURRENCY: '101', DATABASE_POOL_SIZE: '10' }],
  ['SEND_RESPONSE_TIMEOUT_MS', { ...valid, SEND_RESPONSE_TIMEOUT_MS: '60000' }],
  ['AMBIGUOUS_RESEND_AFTER_MS', { ...valid, AMBIGUOUS_RESEND_AFTER_MS: '1000' }],
  ['PLANS', { ...valid, BUDGET_EMAILS_PER_DAY: 'fre=100,pro=1000' }],
  ['BUDGET_', { ...valid, PLANS: 'small=10,large=' }],
  ['SPOOL_DIRECTORY', { ...valid, SPOOL_DIRECTORY: '/tmp/spool' }],
  ['OPERATOR_PASSWORD', { ...valid, OPERATOR_PASSWORD: 'hunter2', OPERATOR_HOST: '0.0.0.0' }],
];

describe('risky settings', () => {
  it.each(taken)('warn, once, and name %s: %j', (setting, environment) => {
    const given = warnings(environment);
    expect(given).toEqual([expect.stringContaining(setting)]);
    expect(given.join()).not.toContain('hunter2');
  });

  it('are all tried above', () => {
    const given = new Set(taken.flatMap(([, environment]) => warnings(environment)));
    expect([...given].sort()).toEqual(risks.map(({ warning }) => warning).sort());
  });

  it.each([
    ['nothing set', {}],
    ['valid settings', valid],
    ['a local stack', { ...named, SMTP_URL: 'smtp://inbox:1025', BASE_URL: 'http://localhost:3001' }],
    [
      'a private network',
      { ...valid, SMTP_URL: 'smtp://10.1.2.3', BASE_URL: 'http://track.internal', PLATFORM_SENDING_DOMAIN: '' },
    ],
    ['a plan that has the default budgets, beside others', { ...valid, PLANS: 'free=5,team=20' }],
    ['webhooks into the own network while trying things', { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' }],
    ['a local stand-in for a provider', { ...valid, PROVIDERS: providers.ses, SES_API_URL: 'http://localhost:4566' }],
    ['the address of a provider that is not used', { ...valid, MAILGUN_API_URL: 'http://mailgun.example.com' }],
    ['no resends at all', { ...valid, AMBIGUOUS_SEND: 'hold', AMBIGUOUS_RESEND_AFTER_MS: '0' }],
    ['a short password that only this machine can try', { ...valid, OPERATOR_PASSWORD: 'hunter2' }],
    ['a tracking host, which sends nothing', { ...named, ROLES: 'tracking', WORKER_CONCURRENCY: '1000' }],
  ])('are not suspected behind %s', (_name, environment) => {
    expect(warnings(environment as Record<string, string>)).toEqual([]);
  });
});
