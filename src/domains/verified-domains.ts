/** `a.b.example.com` with `b.example.com` and `example.com`; a top-level domain alone is nobody's. */
export function withParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/**
 * SQL that is true when the organization may send from one of the domains.
 * @param organization SQL of the organization's id
 * @param domains SQL of an array: a domain with its parents, since a subdomain of a verified one counts as verified
 */
export function anyVerified(organization: string, domains: string): string {
  return `exists (select from sending_domains
            where organization_id = ${organization} and domain = any(${domains}) and status = 'verified')`;
}
