import { namesRedis, type Settings } from './settings.js';

/** Settings that are valid each, and together rarely what somebody wants. */
interface Risk {
  readonly applies: (settings: Settings) => boolean;
  /** What may go wrong and what to set; never a value. */
  readonly warning: string;
}

/** Shortest password that withstands guessing over a network. */
const SOUND_PASSWORD_LENGTH = 12;
/** Above this many deliveries per connection, deliveries wait for Postgres rather than for the provider. */
const DELIVERIES_PER_CONNECTION = 10;
/** Proxies and clients commonly give up after a minute. */
const PATIENT_CLIENT_MS = 55_000;
/** A provider's own account of an email can come this late. */
const LATE_WORD_MS = 60_000;

export const risks: readonly Risk[] = [
  {
    applies: (settings) => sendsForReal(settings) && settings.PLATFORM_SENDING_DOMAIN.endsWith('.localhost'),
    warning:
      'Senders of unverified domains become ones that no mail server accepts: set PLATFORM_SENDING_DOMAIN to a domain of yours',
  },
  {
    applies: (settings) => makesLinks(settings) && sendsForReal(settings) && isLocal(hostOf(settings.BASE_URL)),
    warning:
      'Tracking links of real mail lead to this machine: set BASE_URL to the public address of the tracking hosts',
  },
  {
    applies: ({ BASE_URL }) => BASE_URL?.startsWith('http:') === true && !isLocal(hostOf(BASE_URL)),
    warning: 'Tracking links go to a public address without TLS, and mail clients warn of them: set BASE_URL to https',
  },
  {
    applies: (settings) =>
      settings.DELIVERY_PROVIDER === 'sendgrid' &&
      settings.SENDGRID_API_URL.startsWith('http:') &&
      !isLocal(hostOf(settings.SENDGRID_API_URL)),
    warning: 'The SendGrid API key crosses the network without TLS: set SENDGRID_API_URL to https',
  },
  {
    applies: ({ SMTP_URL }) => {
      if (SMTP_URL === undefined || !SMTP_URL.startsWith('smtp:')) return false;
      const { username, hostname, searchParams } = new URL(SMTP_URL);
      const isOptional = searchParams.get('requireTLS') === 'false' || searchParams.get('ignoreTLS') === 'true';
      return username !== '' && isOptional && !isLocal(hostname);
    },
    warning: 'The SMTP password may cross the network without TLS: take requireTLS=false and ignoreTLS out of SMTP_URL',
  },
  {
    applies: (settings) => settings.WEBHOOK_ALLOW_PRIVATE_ADDRESSES && isShared(settings),
    warning:
      'Every organization can make this service call addresses of your network: set WEBHOOK_ALLOW_PRIVATE_ADDRESSES=false unless all of them are yours',
  },
  {
    applies: (settings) => (settings.DATABASE_URL !== undefined) !== namesRedis(settings),
    warning: 'One of Postgres and Redis is embedded, the other is not: set both DATABASE_URL and REDIS_URL, or neither',
  },
  {
    applies: ({ REDIS_SENTINELS, REDIS_CLUSTER }) => (REDIS_SENTINELS && REDIS_CLUSTER) !== undefined,
    warning: 'Sentinels and a cluster are named, and the cluster is not used: unset REDIS_SENTINELS or REDIS_CLUSTER',
  },
  {
    applies: ({ ROLES, WORKER_CONCURRENCY, DATABASE_POOL_SIZE }) =>
      ROLES.includes('worker') && WORKER_CONCURRENCY > DELIVERIES_PER_CONNECTION * DATABASE_POOL_SIZE,
    warning:
      'Deliveries will wait for a connection to Postgres: raise DATABASE_POOL_SIZE to a tenth of WORKER_CONCURRENCY at least',
  },
  {
    applies: ({ SEND_RESPONSE_TIMEOUT_MS }) => SEND_RESPONSE_TIMEOUT_MS > PATIENT_CLIENT_MS,
    warning:
      'Proxies and clients give up before POST /api/send answers: set SEND_RESPONSE_TIMEOUT_MS below 55000, emails go on all the same',
  },
  {
    applies: ({ AMBIGUOUS_SEND, AMBIGUOUS_RESEND_AFTER_MS }) =>
      AMBIGUOUS_SEND === 'resend' && AMBIGUOUS_RESEND_AFTER_MS < LATE_WORD_MS,
    warning:
      'An email whose delivery is in doubt is sent again before the doubt can clear: set AMBIGUOUS_RESEND_AFTER_MS to 60000 at least',
  },
  {
    applies: ({ SPOOL_DIRECTORY }) => /^(\/var)?\/tmp(\/|$)/.test(SPOOL_DIRECTORY),
    warning: 'Spooled events do not survive a restart of the host: set SPOOL_DIRECTORY to a folder that does',
  },
  {
    applies: ({ OPERATOR_HOST, OPERATOR_PASSWORD }) =>
      OPERATOR_PASSWORD !== undefined && OPERATOR_PASSWORD.length < SOUND_PASSWORD_LENGTH && !isLocal(OPERATOR_HOST),
    warning:
      'The password of the queue board can be guessed over the network: set OPERATOR_PASSWORD to 12 characters at least',
  },
];

/** One sentence per risk that the settings take, as they were given: what is unset is embedded or a default. */
export function warningsOf(settings: Settings): string[] {
  return risks.filter(({ applies }) => applies(settings)).map(({ warning }) => warning);
}

/** To somebody else's mail server, not into the embedded inbox. */
function sendsForReal(settings: Settings): boolean {
  const { DELIVERY_PROVIDER, SMTP_URL } = settings;
  return DELIVERY_PROVIDER === 'sendgrid' || (SMTP_URL !== undefined && !isLocal(hostOf(SMTP_URL)));
}

function makesLinks({ ROLES }: Settings): boolean {
  return ROLES.includes('api') || ROLES.includes('worker');
}

/** Others depend on a service whose data are named. */
function isShared(settings: Settings): boolean {
  return settings.DATABASE_URL !== undefined || namesRedis(settings);
}

function hostOf(url: string | undefined): string {
  return url === undefined ? 'localhost' : new URL(url).hostname;
}

/** This machine, a private network or a name that only a private network knows. */
function isLocal(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (/^[\d.]+$/.test(name)) return /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(name);
  if (name.includes(':')) return /^(::1$|f[cd])/.test(name);
  return !name.includes('.') || /\.(localhost|local|internal|test|lan)$/.test(name);
}
