/** SQL condition: true if the organization has its own providers. @param organization SQL of its ID */
export function ownProvidersExist(organization: string): string {
  return `exists (select from organization_providers o where o.organization_id = ${organization})`;
}
