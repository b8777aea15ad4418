import { PROVIDER_STATES } from '../../emails/sending-state/provider-state.js';
import { PROVIDER_TYPES, type ProviderCredentials } from '../../platform/config/provider-credentials.js';
import { MAX_PER_SECOND, MAX_WEIGHT, MIN_PER_SECOND } from '../../platform/config/provider-list.js';
import { describeRoute } from '../../platform/openapi/describe-route.js';
import { path } from '../../platform/openapi/parameters.js';
import {
  dateTime,
  decimal,
  enumOf,
  exampleOf,
  integer,
  list,
  nullable,
  object,
  optional,
  string,
  type Described,
} from '../../platform/openapi/schemas.js';
import { MAX_PROVIDERS } from './organization-providers.js';
import { MAX_EVENT_KEY_LENGTH, MAX_NAME_LENGTH } from './provider-requests.js';
import type { OrganizationProviderView } from './provider-view.js';

const tag = 'Providers';
const id = string('ID of the provider', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77');
const name = string('Name of the provider, unique in the organization', 'main', {
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
});
const type = enumOf(PROVIDER_TYPES, 'What the provider is; it cannot be changed', 'resend');
const weight = integer(
  'Share of the mail, relative to the weights of the others; 0: only while no other is available. Null: providers without a weight are tried in the order of their creation',
  3,
  { maximum: MAX_WEIGHT },
);
const perSecond: Described = {
  ...decimal('Maximum number of emails per second; null: no limit', 10),
  minimum: MIN_PER_SECOND,
  maximum: MAX_PER_SECOND,
};
const eventKey = string(
  'What verifies the calls to `eventsUrl`. sendgrid: verification key of the signed Event Webhook; mailgun: HTTP webhook signing key; postmark: `user:password` in the URL of the webhook; resend: signing secret; ses: ARN of the SNS topic; smtp: none. Several, at most 5, are separated by commas',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  { maxLength: MAX_EVENT_KEY_LENGTH },
);

const word = (description: string, example: string): Described => string(description, example, { maxLength: 4_000 });

const resend = object<ProviderCredentials['resend']>('ResendCredentials', 'Credentials of Resend', {
  apiKey: word('API key that may send', 're_123456789'),
});

const credentials: Described = {
  anyOf: [
    object<ProviderCredentials['smtp']>('SmtpCredentials', 'Credentials of an SMTP server', {
      url: string(
        'Address with user and password, which are required. The server must have a public address and port 25, 465, 587 or 2525',
        'smtps://user:secret@smtp.example.com:465',
        { maxLength: 2_048 },
      ),
    }),
    object<ProviderCredentials['sendgrid']>('SendGridCredentials', 'Credentials of SendGrid', {
      apiKey: word('API key with the permission mail.send', 'SG.xxxxxxxx.yyyyyyyy'),
    }),
    object<ProviderCredentials['ses']>('SesCredentials', 'Credentials of Amazon SES', {
      region: string('Region of the account', 'eu-west-1'),
      accessKeyId: word('ID of the access key', 'AKIAIOSFODNN7EXAMPLE'),
      secretAccessKey: word('Secret of the access key', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'),
      sessionToken: optional(word('Token of temporary credentials', 'IQoJb3JpZ2luX2VjEXAMPLE')),
      configurationSet: optional(word('Configuration set, which decides which events SES reports', 'mail-events')),
    }),
    object<ProviderCredentials['postmark']>('PostmarkCredentials', 'Credentials of Postmark', {
      serverToken: word('Token of the server', '12345678-90ab-cdef-1234-567890abcdef'),
      messageStream: optional(word('Message stream; the default one without it', 'broadcast')),
    }),
    object<ProviderCredentials['mailgun']>('MailgunCredentials', 'Credentials of Mailgun', {
      apiKey: word('API key that may send', 'key-0123456789abcdef0123456789abcdef'),
      domain: string('Domain in the account that sends', 'mg.example.com'),
    }),
    resend,
  ],
  description: 'Exactly the fields of the type. They are stored encrypted, and no response contains them',
  examples: [exampleOf(resend)],
};

const provider = object<OrganizationProviderView>('Provider', 'A provider of the organization, without its secrets', {
  id,
  name,
  type,
  account: nullable(
    string(
      'Distinguishes accounts: the server of smtp, region and end of the access key of ses, domain of mailgun, message stream of postmark; otherwise null',
      'smtps://smtp.example.com:465',
    ),
  ),
  weight: nullable(weight),
  perSecond: nullable(perSecond),
  eventsUrl: nullable(
    string(
      'Address to which the provider reports events; null without an event key',
      'https://mail.example.com/api/providers/0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77/events',
    ),
  ),
  state: enumOf(
    PROVIDER_STATES,
    'available; throttled: it asked for a pause; credential-refused: it refuses the credentials; failing: it leaves open whether it accepts emails; unknown: currently unknown',
    'available',
  ),
  pausedUntil: nullable(dateTime('When sending is tried again; null unless it is paused')),
  createdAt: dateTime('Time of creation'),
  changedAt: dateTime('Time of the last change'),
});

interface CreateProvider {
  readonly name: string;
  readonly type: string;
  readonly credentials: object;
  readonly weight?: number | null;
  readonly perSecond?: number | null;
  readonly eventKey?: string | null;
}

const REFUSED =
  'A field is invalid, the credentials have not exactly the fields of the type, or the server is at a private address or has no user and password';
const NOT_FOUND = 'Provider not found';
const NAME_TAKEN = 'The organization has a provider with this name already';

/** One decorator per route of the controller. */
export const providerDocs = {
  list: describeRoute({
    operationId: 'listProviders',
    summary: 'List providers',
    description: 'Providers that the organization uses instead of those of the service.',
    tag,
    paged: true,
    responses: {
      200: {
        description: 'The providers',
        schema: object<{ providers: readonly OrganizationProviderView[] }>('ProviderList', 'A page of providers', {
          providers: list(provider, 'Providers, newest first'),
        }),
      },
    },
  }),
  create: describeRoute({
    operationId: 'createProvider',
    summary: 'Add a provider',
    description: `Within seconds, mail from verified domains of the organization goes through its own providers, and no longer through those of the service. An organization can have ${MAX_PROVIDERS} providers.`,
    tag,
    body: object<CreateProvider>('CreateProvider', 'A new provider', {
      name,
      type,
      credentials,
      weight: optional(nullable(weight)),
      perSecond: optional(nullable(perSecond)),
      eventKey: optional(nullable(eventKey)),
    }),
    responses: { 201: { description: 'The new provider', schema: provider } },
    errors: { 400: REFUSED, 409: `${NAME_TAKEN}, or has ${MAX_PROVIDERS} providers` },
  }),
  get: describeRoute({
    operationId: 'getProvider',
    summary: 'Get a provider',
    tag,
    parameters: [path('id', id)],
    responses: { 200: { description: 'The provider', schema: provider } },
    errors: { 404: NOT_FOUND },
  }),
  change: describeRoute({
    operationId: 'changeProvider',
    summary: 'Change a provider',
    description:
      'Fields that are absent stay as they are; null removes weight, perSecond or eventKey. Credentials are replaced as a whole. A change ends a pause, so that the provider is tried again within seconds.',
    tag,
    parameters: [path('id', id)],
    body: object<Partial<Omit<CreateProvider, 'type'>>>('ChangeProvider', 'What to change', {
      name: optional(name),
      credentials: optional(credentials),
      weight: optional(nullable(weight)),
      perSecond: optional(nullable(perSecond)),
      eventKey: optional(nullable(eventKey)),
    }),
    responses: { 200: { description: 'The updated provider', schema: provider } },
    errors: { 400: REFUSED, 404: NOT_FOUND, 409: NAME_TAKEN },
  }),
  remove: describeRoute({
    operationId: 'deleteProvider',
    summary: 'Delete a provider',
    description:
      'Within seconds, no mail goes through it any more. After the last one, mail goes through the providers of the service again.',
    tag,
    parameters: [path('id', id)],
    responses: { 204: { description: 'The provider is deleted' } },
    errors: { 404: NOT_FOUND },
  }),
};
