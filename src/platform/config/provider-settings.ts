import { ecdsaPublicKeys } from './public-keys.js';
import { InvalidProviderListError, readProviderList, type ProviderEntry } from './provider-list.js';
import { secretList, USER_AND_PASSWORD, WHSEC_SECRET } from './secret-list.js';
import { choice, secret, url, type Variable } from './setting-types.js';
import { smtpUrl } from './smtp-url.js';
import { topicList } from './topic-list.js';

const EXAMPLE_LIST =
  '[{"id":"main","type":"sendgrid","apiKey":"SG.xxxxxxxx.yyyyyyyy"},{"id":"backup","type":"smtp","url":"smtps://user:secret@smtp.example.com:465"}]';

/** Settings of the providers that deliver the mail, and of the events that they report. */
export const providerVariables = {
  DELIVERY_PROVIDER: choice(['smtp', 'sendgrid'], { description: 'Provider that delivers the mail', default: 'smtp' }),
  PROVIDERS: providerList({
    description:
      'Several providers instead of DELIVERY_PROVIDER: a JSON array, or a file with one; a provider that is paused is skipped while another can send (unset: only DELIVERY_PROVIDER)',
    example: EXAMPLE_LIST,
  }),
  SENDGRID_API_KEY: secret({
    description: 'SendGrid API key with the mail.send permission (needed when DELIVERY_PROVIDER=sendgrid)',
    example: 'SG.xxxxxxxx.yyyyyyyy',
    optional: true,
  }),
  SENDGRID_API_URL: url(['http:', 'https:'], {
    description: 'Base URL of the SendGrid API',
    default: 'https://api.sendgrid.com',
  }),
  SENDGRID_EVENT_PUBLIC_KEY: ecdsaPublicKeys({
    description:
      "Verification key of SendGrid's signed Event Webhook, which posts to /api/providers/sendgrid/events; several while the key changes (unset: 404)",
    example:
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEnDQyx93Fwxyr8yHFV/Y6QA+E+nORH05kqSs45l6H1DINSb+MUlX9smjlnYYFYk0vuBjsUdlU45B7qQur7LK/xA==',
  }),
  MAILGUN_API_URL: url(['http:', 'https:'], {
    description: 'Base URL of the Mailgun API (domains in the EU: https://api.eu.mailgun.net)',
    default: 'https://api.mailgun.net',
  }),
  MAILGUN_EVENT_SIGNING_KEY: secretList({
    description:
      'HTTP webhook signing key of the Mailgun account, whose webhooks post to /api/providers/mailgun/events; several while the key changes (unset: 404)',
    example: '0123456789abcdef0123456789abcdef',
  }),
  POSTMARK_API_URL: url(['http:', 'https:'], {
    description: 'Base URL of the Postmark API',
    default: 'https://api.postmarkapp.com',
  }),
  POSTMARK_EVENT_CREDENTIALS: secretList({
    description:
      "User and password in the URL of Postmark's webhooks, which post to /api/providers/postmark/events; several while they change (unset: 404)",
    example: 'postmark:0123456789abcdef0123456789abcdef',
    item: USER_AND_PASSWORD,
  }),
  RESEND_API_URL: url(['http:', 'https:'], {
    description: 'Base URL of the Resend API',
    default: 'https://api.resend.com',
  }),
  RESEND_EVENT_SECRET: secretList({
    description:
      'Signing secret of the Resend webhook that posts to /api/providers/resend/events; several while the secret changes (unset: 404)',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    item: WHSEC_SECRET,
  }),
  SES_API_URL: url(['http:', 'https:'], {
    description: 'Base URL of the API of Amazon SES (unset: the one of the region)',
    example: 'https://email.eu-west-1.amazonaws.com',
    optional: true,
  }),
  SES_EVENT_TOPICS: topicList({
    description:
      'ARNs of the SNS topics with events of Amazon SES, whose HTTPS subscriptions post to /api/providers/ses/events (unset: 404)',
    example: 'arn:aws:sns:eu-west-1:123456789012:mail-events',
  }),
  SMTP_URL: smtpUrl({
    description:
      'SMTP server that delivers the mail; credentials require TLS unless the server is on this machine (unset: the embedded inbox)',
    example: 'smtps://user:secret@smtp.example.com:465',
    optional: true,
  }),
} satisfies Record<string, Variable<unknown>>;

function providerList(about: { description: string; example: string }): Variable<readonly ProviderEntry[] | undefined> {
  return {
    ...about,
    expectation: 'a JSON array of providers, or the name of a file with one',
    fallback: { value: undefined, text: '' },
    secret: true,
    isPublished: (text) => text === about.example,
    read: (text) => (problemIn(text) === undefined ? readProviderList(text) : undefined),
    problemIn,
  };
}

function problemIn(text: string): string | undefined {
  try {
    readProviderList(text);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidProviderListError) return error.message;
    throw error;
  }
}
