import type { ScriptedResponse } from './scripted-responses.js';

interface StoredDomain {
  readonly id: number;
  readonly domain: string;
  readonly [field: string]: unknown;
}

/** Domains in a response of the API, unless a request asks for fewer or more. */
const PAGE = 50;

/** The authenticated domains of an account, as in SendGrid's API: with automatic security, three CNAMEs each. */
export class SendGridDomainsStub {
  stored: StoredDomain[] = [];
  private made = 0;
  /** Whether a validation finds the DNS records. */
  published = false;
  /** The record that it does not find nevertheless. */
  missing: string | undefined;
  /** The ID of a domain that the API refuses to remove. */
  kept: number | undefined;

  respond(method: string, url: string, text: string): ScriptedResponse {
    const { pathname, searchParams } = new URL(url, 'http://stub');
    const [, number, action] = /^\/v3\/whitelabel\/domains\/(\d+)(\/validate)?$/.exec(pathname) ?? [];
    const id = Number(number);
    if (this.stored.some((one) => one.id === id)) {
      if (method === 'POST' && action) return this.validation(id);
      if (method === 'DELETE' && id === this.kept) return { status: 400, body: { errors: [{ message: 'in use' }] } };
      if (method === 'DELETE' && !action) {
        this.stored = this.stored.filter((one) => one.id !== id);
        return { status: 204 };
      }
    }
    if (pathname !== '/v3/whitelabel/domains') return { status: 404, body: { errors: [{ message: 'not found' }] } };
    if (method === 'POST') return this.make((JSON.parse(text) as { domain: string }).domain);
    // Like the filter of the API, which also matches parts of a domain. The response is a page.
    const wanted = searchParams.get('domain') ?? '';
    const offset = Number(searchParams.get('offset') ?? 0);
    const end = offset + Number(searchParams.get('limit') ?? PAGE);
    return { status: 200, body: this.stored.filter(({ domain }) => domain.includes(wanted)).slice(offset, end) };
  }

  private make(domain: string): ScriptedResponse {
    const id = ++this.made;
    const cname = (label: string, data: string) => ({ valid: false, type: 'cname', host: `${label}.${domain}`, data });
    const made = {
      id,
      user_id: 7,
      subdomain: `em${id}`,
      domain,
      username: 'account',
      ips: [],
      custom_spf: false,
      default: false,
      legacy: false,
      automatic_security: true,
      valid: false,
      dns: {
        mail_cname: cname(`em${id}`, `u7.wl.sendgrid.test`),
        dkim1: cname('s1._domainkey', `s1.domainkey.u7.wl.sendgrid.test`),
        dkim2: cname('s2._domainkey', `s2.domainkey.u7.wl.sendgrid.test`),
      },
    };
    this.stored.push(made);
    return { status: 201, body: made };
  }

  private validation(id: number): ScriptedResponse {
    const result = (key: string, name: string) => {
      const valid = this.published && key !== this.missing;
      return [key, { valid, reason: valid ? null : `Expected CNAME for "${name}" was not found.` }] as const;
    };
    const results = [result('mail_cname', 'em'), result('dkim1', 's1._domainkey'), result('dkim2', 's2._domainkey')];
    const valid = results.every(([, one]) => one.valid);
    return { status: 200, body: { id, valid, validation_results: Object.fromEntries(results) } };
  }
}
