import type { Settings } from '../platform/config/settings.js';

/** `a.b.example.com` with `b.example.com` and `example.com`; a top-level domain alone is nobody's. */
export function withParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/** Whether mail may come from a domain only once the provider says that it can sign for it. */
export function needsProviderSignature({ DELIVERY_PROVIDER }: Pick<Settings, 'DELIVERY_PROVIDER'>): boolean {
  return DELIVERY_PROVIDER !== 'smtp';
}

/**
 * SQL that is true of a row of `sending_domains` that the organization may send from.
 * @param organization SQL of the organization's id
 * @param domains SQL of an array: a domain with its parents, since a subdomain of a verified one counts as verified
 * @param providerSigns SQL of a boolean: what `needsProviderSignature` says
 */
export function isSenderDomain(organization: string, domains: string, providerSigns: string): string {
  return `organization_id = ${organization} and domain = any(${domains}) and status = 'verified'
            and (provider_signs or not ${providerSigns})`;
}

/** SQL that is true when the organization may send from one of the domains. Parameters as for `isSenderDomain`. */
export function anySenderDomain(organization: string, domains: string, providerSigns: string): string {
  return `exists (select from sending_domains
            where ${isSenderDomain(organization, domains, providerSigns)})`;
}
