/**
 * The organization that this tab shows. The session has one, too, in which new tabs begin, but every tab can change it:
 * each request says which one the page is about. A reload keeps it.
 */
const KEY = 'organization';

export function organizationOfTab(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function keepOrganization(id: string): void {
  sessionStorage.setItem(KEY, id);
}

export function forgetOrganization(): void {
  sessionStorage.removeItem(KEY);
}
