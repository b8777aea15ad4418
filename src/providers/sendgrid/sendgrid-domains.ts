import { readableReason } from '../failure-reason.js';
import {
  SenderAuthenticationError,
  type ProviderDomain,
  type ProviderRecord,
  type SenderAuthentication,
} from '../sender-authentication.js';
import { callSendGridApi, readSendGridJson, SendGridApiError, type SendGridApiOptions } from './sendgrid-api.js';

const DEADLINE_MS = 8_000;
const MAX_RECORDS = 10;
/** Domains in a response to a search. */
const PAGE = 50;
const UNEXPECTED_RESPONSE = 'SendGrid sent an unexpected response';
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
  readonly valid?: unknown;
  readonly dns: Readonly<Record<string, DnsEntry | null>>;
}

interface Request {
  readonly body?: object;
  /** Ignores the response body, and treats 404 as success. */
  readonly isRemoval?: boolean;
}

interface Validation {
  /** Whether SendGrid accepts senders of the domain. */
  readonly valid?: unknown;
  readonly validation_results?: Readonly<Record<string, { valid?: unknown; reason?: unknown } | undefined>>;
}

/**
 * Authenticated domains of the SendGrid account, with automatic security: three CNAMEs to SendGrid's DKIM keys and
 * return path. A domain that already exists is used but never deleted, because other organizations or the operator
 * may depend on it.
 */
export class SendGridDomains implements SenderAuthentication {
  constructor(private readonly options: SendGridApiOptions) {}

  /** Returns the ID of a created domain even if its validation fails, so that it can be deleted later. */
  async validate(domain: string): Promise<ProviderDomain> {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const found = await this.find(domain, signal);
    if (found) return this.validateDomain(found, signal);
    const created = await this.create(domain, signal);
    const madeId = String(created.id);
    // A concurrent check may have created the domain, too. Both checks keep the one that was created first.
    const kept = (await orUndefined(this.find(domain, signal))) ?? created;
    const validated = (await orUndefined(this.validateDomain(kept, signal))) ?? toProviderDomain(kept, null);
    if (kept.id === created.id) return { ...validated, madeId };
    const isRemoved = await orUndefined(this.remove(madeId, signal).then(() => true));
    return { ...validated, ...(!isRemoved && { madeId }) };
  }

  async remove(madeId: string, signal = AbortSignal.timeout(DEADLINE_MS)): Promise<void> {
    await this.call('DELETE', `${DOMAINS}/${encodeURIComponent(madeId)}`, signal, { isRemoval: true });
  }

  private async validateDomain(known: AuthenticatedDomain, signal: AbortSignal): Promise<ProviderDomain> {
    const validation = await this.call<Validation | null>('POST', `${DOMAINS}/${known.id}/validate`, signal);
    return toProviderDomain(known, validation);
  }

  /**
   * Returns a valid domain of this name, or the one that was created first. The filter also matches parts of names. A
   * domain must be found among any number of them: other organizations can have such names, too.
   */
  private async find(domain: string, signal: AbortSignal): Promise<AuthenticatedDomain | undefined> {
    let first: AuthenticatedDomain | undefined;
    for (let offset = 0; ; offset += PAGE) {
      const query = `domain=${encodeURIComponent(domain)}&limit=${PAGE}&offset=${offset}`;
      const page = await this.call<unknown>('GET', `${DOMAINS}?${query}`, signal);
      if (!Array.isArray(page)) throw new SenderAuthenticationError(UNEXPECTED_RESPONSE);
      const known = page.filter(isAuthenticatedDomain).filter((one) => one.domain === domain);
      const valid = known.find((one) => one.valid === true);
      if (valid) return valid;
      for (const one of known) if (!first || one.id < first.id) first = one;
      if (page.length < PAGE) return first;
    }
  }

  private async create(domain: string, signal: AbortSignal): Promise<AuthenticatedDomain> {
    const body = { domain, automatic_security: true, custom_spf: false, default: false };
    const created = await this.call<unknown>('POST', DOMAINS, signal, { body });
    if (!isAuthenticatedDomain(created)) throw new SenderAuthenticationError(UNEXPECTED_RESPONSE);
    return created;
  }

  private async call<Body>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    signal: AbortSignal,
    request: Request = {},
  ): Promise<Body> {
    const { body, isRemoval = false } = request;
    try {
      const { status, text } = await callSendGridApi(this.options, { method, path, ...(body && { body }) }, signal);
      const succeeded = status >= 200 && status < 300;
      if (isRemoval && (succeeded || status === 404)) return undefined as Body;
      if (!succeeded) throw new SenderAuthenticationError(`SendGrid responded with ${status}`, isRefusal(status));
      return readSendGridJson(text) as Body;
    } catch (error) {
      throw error instanceof SendGridApiError ? new SenderAuthenticationError(error.message) : error;
    }
  }
}

/** A wrong key, missing rights and too many requests are not about a single request. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 429].includes(status);
}

function isAuthenticatedDomain(value: unknown): value is AuthenticatedDomain {
  const { id, domain, dns } = (value ?? {}) as Partial<AuthenticatedDomain>;
  return Number.isSafeInteger(id) && typeof domain === 'string' && typeof dns === 'object' && dns !== null;
}

/** For a call without which a check can go on. */
function orUndefined<Result>(call: Promise<Result>): Promise<Result | undefined> {
  return call.catch((error: unknown) => {
    if (!(error instanceof SenderAuthenticationError)) throw error;
    return undefined;
  });
}

function toProviderDomain(known: AuthenticatedDomain, validation: Validation | null): ProviderDomain {
  const records = recordsOf(known, validation?.validation_results ?? {});
  return { records, isAuthenticated: (validation?.valid ?? known.valid) === true };
}

function recordsOf({ dns }: AuthenticatedDomain, results: Validation['validation_results'] = {}): ProviderRecord[] {
  return Object.entries(dns)
    .slice(0, MAX_RECORDS)
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
