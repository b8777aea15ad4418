import { readableReason } from '../failure-reason.js';
import {
  SenderAuthenticationError,
  type ProviderDomain,
  type ProviderRecord,
  type SenderAuthentication,
} from '../sender-authentication.js';

export interface SendGridDomainOptions {
  readonly apiKey: string;
  /** Base address of the API, without a path. */
  readonly url: string;
}

const DEADLINE_MS = 8_000;
const LARGEST_ANSWER_CHARACTERS = 1024 * 1024;
const MOST_RECORDS = 10;
const NOT_UNDERSTOOD = 'SendGrid answered something else than expected';
const DOMAINS = '/v3/whitelabel/domains';

interface DnsEntry {
  readonly host?: unknown;
  readonly type?: unknown;
  readonly data?: unknown;
  readonly valid?: unknown;
}

interface AuthenticatedDomain {
  readonly id: number;
  readonly domain: string;
  readonly dns: Readonly<Record<string, DnsEntry | null>>;
}

interface Request {
  readonly body?: object;
  /** Nothing is read of the answer, and 404 is as good as any. */
  readonly isRemoval?: boolean;
}

interface Validation {
  readonly validation_results?: Readonly<Record<string, { valid?: unknown; reason?: unknown } | undefined>>;
}

/**
 * Authenticated domains of the SendGrid account, with automatic security: three CNAMEs, behind which SendGrid keeps
 * DKIM keys and return path. One that exists already is used as it is, and is not ours to delete: other organizations
 * or the operator may depend on it.
 */
export class SendGridDomains implements SenderAuthentication {
  constructor(private readonly options: SendGridDomainOptions) {}

  /** What was made stays known when the look for its records fails: somebody has to delete it one day. */
  async validate(domain: string): Promise<ProviderDomain> {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const found = await this.find(domain, signal);
    if (found) return { records: await this.look(found, signal) };
    const made = await this.make(domain, signal);
    const records = await this.look(made, signal).catch((error: unknown) => {
      if (!(error instanceof SenderAuthenticationError)) throw error;
      return recordsOf(made);
    });
    return { records, madeId: String(made.id) };
  }

  async remove(madeId: string): Promise<void> {
    const path = `${DOMAINS}/${encodeURIComponent(madeId)}`;
    await this.call('DELETE', path, AbortSignal.timeout(DEADLINE_MS), { isRemoval: true });
  }

  private async look(known: AuthenticatedDomain, signal: AbortSignal): Promise<ProviderRecord[]> {
    const validation = await this.call<Validation | null>('POST', `${DOMAINS}/${known.id}/validate`, signal);
    return recordsOf(known, validation?.validation_results ?? {});
  }

  private async find(domain: string, signal: AbortSignal): Promise<AuthenticatedDomain | undefined> {
    const found = await this.call<unknown>('GET', `${DOMAINS}?domain=${encodeURIComponent(domain)}`, signal);
    // The filter may match more than the very name.
    return (Array.isArray(found) ? found : []).filter(isAuthenticatedDomain).find((one) => one.domain === domain);
  }

  private async make(domain: string, signal: AbortSignal): Promise<AuthenticatedDomain> {
    const body = { domain, automatic_security: true, custom_spf: false, default: false };
    const made = await this.call<unknown>('POST', DOMAINS, signal, { body });
    if (!isAuthenticatedDomain(made)) throw new SenderAuthenticationError(NOT_UNDERSTOOD);
    return made;
  }

  private async call<Body>(method: string, path: string, signal: AbortSignal, request: Request = {}): Promise<Body> {
    const { body, isRemoval = false } = request;
    try {
      const answer = await fetch(this.options.url + path, {
        method,
        signal,
        // Not followed: a redirect would carry the key to another host.
        redirect: 'error',
        headers: {
          authorization: `Bearer ${this.options.apiKey}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (isRemoval && (answer.ok || answer.status === 404)) return undefined as Body;
      if (!answer.ok) throw new SenderAuthenticationError(`SendGrid answered ${answer.status}`);
      if (text.length > LARGEST_ANSWER_CHARACTERS) throw new SenderAuthenticationError('SendGrid answered too much');
      return readJson(text) as Body;
    } catch (error) {
      if (error instanceof SenderAuthenticationError) throw error;
      throw new SenderAuthenticationError(
        signal.aborted ? 'SendGrid did not answer in time' : 'The connection to SendGrid failed',
      );
    }
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SenderAuthenticationError(NOT_UNDERSTOOD);
  }
}

function isAuthenticatedDomain(value: unknown): value is AuthenticatedDomain {
  const { id, domain, dns } = (value ?? {}) as Partial<AuthenticatedDomain>;
  return Number.isSafeInteger(id) && typeof domain === 'string' && typeof dns === 'object' && dns !== null;
}

function recordsOf({ dns }: AuthenticatedDomain, results: Validation['validation_results'] = {}): ProviderRecord[] {
  return Object.entries(dns)
    .slice(0, MOST_RECORDS)
    .flatMap(([key, entry]) => {
      const { host, type, data, valid } = entry ?? {};
      if (typeof host !== 'string' || typeof data !== 'string' || typeof type !== 'string') return [];
      const result = results[key];
      const reason = typeof result?.reason === 'string' ? readableReason(result.reason) : null;
      return [
        {
          type: type.toUpperCase(),
          name: host,
          value: data,
          purpose: key.startsWith('dkim') ? ('dkim' as const) : ('return-path' as const),
          valid: (result ? result.valid : valid) === true,
          reason,
        },
      ];
    });
}
