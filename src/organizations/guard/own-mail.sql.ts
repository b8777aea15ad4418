import { isOwnProvider } from '../providers/own-provider-id.sql.js';

/**
 * SQL: true for `emails e` that the organization's own provider took, or refused: the reputation of the service's
 * providers does not depend on it. While it is queued, its pending row names the provider that was called last.
 */
export const IS_OWN_MAIL = `
coalesce(case when e.status = 'queued' then (
           select ${isOwnProvider('p.provider')} from pending_emails p where p.email_id = e.id) end, e.own_provider)`;
