import { budgetVariables } from './budget-settings.js';
import { providerEntries, usesProvider } from './provider-entries.js';
import { namesRedis, type Settings } from './settings.js';

/** A combination of settings that is valid but probably a mistake. */
interface Risk {
  readonly applies: (settings: Settings) => boolean;
  /** Names the risk and the setting to change, but never a value. */
  readonly warning: string;
}

/** Minimum length of a password that withstands guessing over a network. */
const SAFE_PASSWORD_LENGTH = 12;
/** Above this number of deliveries per connection, Postgres rather than the provider limits the throughput. */
const DELIVERIES_PER_CONNECTION = 10;
/** Proxies and clients commonly time out after a minute. */
const CLIENT_TIMEOUT_MS = 55_000;
/** A provider's status report about an email can arrive this late. */
const LATE_REPORT_MS = 60_000;

const BUDGETS = Object.keys(budgetVariables) as readonly (keyof typeof budgetVariables)[];

export const risks: readonly Risk[] = [
  {
    applies: (settings) => sendsForReal(settings) && settings.PLATFORM_SENDING_DOMAIN.endsWith('.localhost'),
    warning:
      'Mail from unverified domains gets a sender address that no mail server accepts: set PLATFORM_SENDING_DOMAIN to a domain you own',
  },
  {
    applies: (settings) => makesLinks(settings) && sendsForReal(settings) && isLocal(hostOf(settings.BASE_URL)),
    warning:
      'Tracking links in real mail point to this machine: set BASE_URL to the public address of the tracking hosts',
  },
  {
    applies: ({ BASE_URL }) => BASE_URL?.startsWith('http:') === true && !isLocal(hostOf(BASE_URL)),
    warning: 'Tracking links use a public address without TLS, and mail clients warn about them: set BASE_URL to https',
  },
  {
    applies: (settings) => usesProvider(settings, 'sendgrid') && crossesNetworkPlainly(settings.SENDGRID_API_URL),
    warning: 'The SendGrid API key crosses the network without TLS: set SENDGRID_API_URL to https',
  },
  {
    applies: (settings) => usesProvider(settings, 'mailgun') && crossesNetworkPlainly(settings.MAILGUN_API_URL),
    warning: 'The Mailgun API key crosses the network without TLS: set MAILGUN_API_URL to https',
  },
  {
    applies: (settings) => usesProvider(settings, 'postmark') && crossesNetworkPlainly(settings.POSTMARK_API_URL),
    warning: 'The Postmark server token crosses the network without TLS: set POSTMARK_API_URL to https',
  },
  {
    applies: (settings) => usesProvider(settings, 'resend') && crossesNetworkPlainly(settings.RESEND_API_URL),
    warning: 'The Resend API key crosses the network without TLS: set RESEND_API_URL to https',
  },
  {
    applies: (settings) => usesProvider(settings, 'ses') && crossesNetworkPlainly(settings.SES_API_URL),
    warning: 'Mail crosses the network to Amazon SES without TLS: set SES_API_URL to https',
  },
  {
    applies: (settings) => smtpUrls(settings).some(mayShowPassword),
    warning:
      'The SMTP password may cross the network without TLS: remove requireTLS=false and ignoreTLS from SMTP_URL or PROVIDERS',
  },
  {
    applies: (settings) => settings.WEBHOOK_ALLOW_PRIVATE_ADDRESSES && isShared(settings),
    warning:
      'Every organization can make this service call addresses in your network: set WEBHOOK_ALLOW_PRIVATE_ADDRESSES=false unless you own all organizations',
  },
  {
    applies: (settings) => (settings.DATABASE_URL !== undefined) !== namesRedis(settings),
    warning: 'Only one of Postgres and Redis is embedded: set both DATABASE_URL and REDIS_URL, or neither',
  },
  {
    applies: (settings) => settings.ROLES.includes('worker') && isShared(settings) && smtpUrls(settings).includes(''),
    warning: 'Mail ends in the embedded inbox and reaches no recipient: set SMTP_URL, PROVIDERS or DELIVERY_PROVIDER',
  },
  {
    applies: ({ REDIS_SENTINELS, REDIS_CLUSTER }) => (REDIS_SENTINELS && REDIS_CLUSTER) !== undefined,
    warning:
      'Both Sentinels and a cluster are configured, and the cluster is ignored: unset REDIS_SENTINELS or REDIS_CLUSTER',
  },
  {
    applies: ({ ROLES, WORKER_CONCURRENCY, DATABASE_POOL_SIZE }) =>
      ROLES.includes('worker') && WORKER_CONCURRENCY > DELIVERIES_PER_CONNECTION * DATABASE_POOL_SIZE,
    warning:
      'Deliveries will wait for Postgres connections: raise DATABASE_POOL_SIZE to at least a tenth of WORKER_CONCURRENCY',
  },
  {
    applies: ({ SEND_RESPONSE_TIMEOUT_MS }) => SEND_RESPONSE_TIMEOUT_MS > CLIENT_TIMEOUT_MS,
    warning:
      'Proxies and clients time out before POST /api/send responds: set SEND_RESPONSE_TIMEOUT_MS below 55000; emails are sent anyway',
  },
  {
    applies: ({ AMBIGUOUS_SEND, AMBIGUOUS_RESEND_AFTER_MS }) =>
      AMBIGUOUS_SEND === 'resend' && AMBIGUOUS_RESEND_AFTER_MS < LATE_REPORT_MS,
    warning:
      'A delivery with an unknown outcome is resent before the outcome can become known: set AMBIGUOUS_RESEND_AFTER_MS to at least 60000',
  },
  {
    applies: hasBudgetOfUnknownPlan,
    warning:
      'A budget is for a plan that PLANS does not have, and does not limit the others: correct PLANS or the settings BUDGET_…',
  },
  {
    applies: ({ SPOOL_DIRECTORY }) => /^(\/var)?\/tmp(\/|$)/.test(SPOOL_DIRECTORY),
    warning: 'Spooled events do not survive a restart of the host: set SPOOL_DIRECTORY to a persistent folder',
  },
  {
    applies: ({ OPERATOR_HOST, OPERATOR_PASSWORD }) =>
      OPERATOR_PASSWORD !== undefined && OPERATOR_PASSWORD.length < SAFE_PASSWORD_LENGTH && !isLocal(OPERATOR_HOST),
    warning:
      'The password of the queue board can be guessed over the network: set OPERATOR_PASSWORD to at least 12 characters',
  },
];

/** Returns one sentence per risk. Takes the settings as given, where unset means embedded or the default. */
export function warningsOf(settings: Settings): string[] {
  return risks.filter(({ applies }) => applies(settings)).map(({ warning }) => warning);
}

/** True if mail leaves this network rather than ending in the embedded or a local inbox. */
function sendsForReal(settings: Settings): boolean {
  const urls = smtpUrls(settings);
  return urls.length < providerEntries(settings).length || urls.some((url) => url !== '' && !isLocal(hostOf(url)));
}

/** The default of a budget names the default plans: it is no mistake as long as it limits one of the plans. */
function hasBudgetOfUnknownPlan(settings: Settings): boolean {
  return BUDGETS.some((name) => {
    const { plans } = settings[name];
    const unknown = plans.filter((plan) => !settings.PLANS.has(plan));
    const isDefault = settings[name] === budgetVariables[name].fallback?.value;
    return unknown.length > 0 && (!isDefault || unknown.length === plans.length);
  });
}

/** The SMTP servers among the providers; '' for the embedded inbox. */
function smtpUrls(settings: Settings): string[] {
  return providerEntries(settings).flatMap(({ type, credentials }) => (type === 'smtp' ? credentials.url : []));
}

function mayShowPassword(url: string): boolean {
  if (!url.startsWith('smtp:')) return false;
  const { username, hostname, searchParams } = new URL(url);
  const isOptional = searchParams.get('requireTLS') === 'false' || searchParams.get('ignoreTLS') === 'true';
  return username !== '' && isOptional && !isLocal(hostname);
}

function makesLinks({ ROLES }: Settings): boolean {
  return ROLES.includes('api') || ROLES.includes('worker');
}

/** True if the URL leads out of this network without TLS. */
function crossesNetworkPlainly(url: string | undefined): boolean {
  return url?.startsWith('http:') === true && !isLocal(hostOf(url));
}

/** True if Postgres or Redis is configured: such an installation usually has other users. */
function isShared(settings: Settings): boolean {
  return settings.DATABASE_URL !== undefined || namesRedis(settings);
}

function hostOf(url: string | undefined): string {
  return url === undefined ? 'localhost' : new URL(url).hostname;
}

/** True for this machine, private addresses and names that resolve only in a private network. */
function isLocal(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (/^[\d.]+$/.test(name)) return /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(name);
  if (name.includes(':')) return /^(::1$|f[cd])/.test(name);
  return !name.includes('.') || /\.(localhost|local|internal|test|lan)$/.test(name);
}
