import { ownProvidersExist } from '../organizations/providers/own-providers-exist.sql.js';
import { usesProvider } from '../platform/config/provider-entries.js';
import type { Settings } from '../platform/config/settings.js';

/** True when mail may be sent from a domain only after the provider confirms that it can sign for it. */
export function needsProviderSignature(settings: Settings): boolean {
  return usesProvider(settings, 'sendgrid');
}

/**
 * SQL condition: true for a row of `sending_domains` that the organization may send from. If it has its own providers,
 * these send the mail, so that the service's provider need not sign.
 * @param organization SQL of the organization's ID
 * @param domains SQL of an array: a domain with its parents, because a subdomain of a verified domain counts as
 *   verified
 * @param providerSigns SQL of a boolean: the result of `needsProviderSignature`
 */
export function isSenderDomain(organization: string, domains: string, providerSigns: string): string {
  return `organization_id = ${organization} and domain = any(${domains}) and status = 'verified'
            and (provider_signs or not ${providerSigns}
                 or ${ownProvidersExist(organization)})`;
}

/** SQL condition: true when the organization may send from one of the domains. Parameters as for `isSenderDomain`. */
export function anySenderDomain(organization: string, domains: string, providerSigns: string): string {
  return `exists (select from sending_domains
            where ${isSenderDomain(organization, domains, providerSigns)})`;
}
