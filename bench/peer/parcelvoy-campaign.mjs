import { fetch } from 'undici';
import { EMAIL } from '../tutorial/ours.mjs';

/**
 * Makes a project with an SMTP server, and a triggered campaign with the bench's email, through the API.
 * @param api its address
 * @returns the campaign's ID and a key that may trigger it
 */
export async function setUpCampaign(api, { account, mailServer }) {
  const token = await logIn(api, account);
  const call = async (path, body) => {
    const response = await fetch(`${api}/admin/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const { id } = await call('projects', { name: 'Bench', locale: 'en', timezone: 'UTC', link_wrap_email: true });
  const project = `projects/${id}`;
  const server = { host: mailServer.hostname, port: Number(mailServer.port), secure: false };
  const data = { ...server, auth: { user: 'bench', pass: 'bench' } };
  const provider = await call(`${project}/providers/email/smtp`, { name: 'Bench', data });
  const subscriptions = await call(`${project}/subscriptions`);
  const subscription = subscriptions.results.find(({ channel }) => channel === 'email');
  const references = { subscription_id: subscription.id, provider_id: provider.id };
  const campaign = await call(`${project}/campaigns`, {
    type: 'trigger',
    name: 'News',
    channel: 'email',
    ...references,
  });
  const content = { from: { address: EMAIL.from }, subject: EMAIL.subject, html: EMAIL.htmlContent };
  await call(`${project}/templates`, { type: 'email', campaign_id: campaign.id, locale: 'en', data: content });
  const key = await call(`${project}/keys`, { name: 'Bench', scope: 'secret', role: 'admin' });
  return { id: campaign.id, apiKey: key.value };
}

async function logIn(api, account) {
  const response = await fetch(`${api}/auth/login/basic/callback`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  const cookies = response.headers.getSetCookie();
  const cookie = cookies.find((one) => one.startsWith('oauth='));
  if (!cookie) throw new Error(`Could not log in: ${response.status} ${await response.text()}`);
  return JSON.parse(decodeURIComponent(cookie.slice('oauth='.length).split(';')[0])).access_token;
}
