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
  readonly dns: Readonly<Record<string, DnsEntry | null>>;
}

interface Request {
  readonly body?: object;
  /** Ignores the response body, and treats 404 as success. */
  readonly isRemoval?: boolean;
}

interface Validation {
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
    if (found) return { records: await this.validateRecords(found, signal) };
    const created = await this.create(domain, signal);
    const records = await this.validateRecords(created, signal).catch((error: unknown) => {
      if (!(error instanceof SenderAuthenticationError)) throw error;
      return recordsOf(created);
    });
    return { records, madeId: String(created.id) };
  }

  async remove(madeId: string): Promise<void> {
    const path = `${DOMAINS}/${encodeURIComponent(madeId)}`;
    await this.call('DELETE', path, AbortSignal.timeout(DEADLINE_MS), { isRemoval: true });
  }

  private async validateRecords(known: AuthenticatedDomain, signal: AbortSignal): Promise<ProviderRecord[]> {
    const validation = await this.call<Validation | null>('POST', `${DOMAINS}/${known.id}/validate`, signal);
    return recordsOf(known, validation?.validation_results ?? {});
  }

  /**
   * The filter also matches parts of names. A domain must be found among any number of them: other organizations can
   * have such names, too.
   */
  private async find(domain: string, signal: AbortSignal): Promise<AuthenticatedDomain | undefined> {
    for (let offset = 0; ; offset += PAGE) {
      const query = `domain=${encodeURIComponent(domain)}&limit=${PAGE}&offset=${offset}`;
      const found = await this.call<unknown>('GET', `${DOMAINS}?${query}`, signal);
      const page: readonly unknown[] = Array.isArray(found) ? found : [];
      const known = page.filter(isAuthenticatedDomain).find((one) => one.domain === domain);
      if (known || page.length !== PAGE) return known;
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
