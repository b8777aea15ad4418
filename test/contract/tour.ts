/** A tour of the API with only what /openapi.json describes: this file imports nothing and contains no path. */
type Values = Record<string, string>;
type Operation = { operationId: string; requestBody?: { content: Record<string, { schema: { $ref: string } }> } };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { examples: object[] }>; securitySchemes: Record<string, Values> };
};
export async function takeTheTour(address: string, apiKey: string): Promise<Values> {
  const { paths, components } = (await (await fetch(`${address}/openapi.json`)).json()) as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  /** Calls an operation by its name, with the documented body except for some fields. */
  async function call<Body = Values>(name: string, values: Values = {}, fields: object = {}): Promise<Body> {
    const { path, method, requestBody } = operations.find(({ operationId }) => operationId === name)!;
    const url = new URL(
      path.replace(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(values[part]!)),
      address,
    );
    const queried = Object.entries(values).filter(([part]) => !path.includes(`{${part}}`));
    for (const [part, value] of queried) url.searchParams.set(part, value);
    const schemaName = requestBody?.content['application/json']!.schema.$ref.split('/').at(-1);
    const body = schemaName && JSON.stringify({ ...components.schemas[schemaName]!.examples[0], ...fields });
    const headers = { [components.securitySchemes.apiKey!.name!]: apiKey, 'content-type': 'application/json' };
    const response = await fetch(url, { method, headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : {}) as Body;
  }
  const { id } = await call('createCampaign', {}, { name: 'Tour' });
  const inTour = { campaignId: 'Tour' };
  const email = await call<Values & { links: Values[] }>('sendEmail', {}, inTour);
  await fetch(email.pixelUrl!);
  await fetch(email.links[0]!.trackingUrl!, { redirect: 'manual' });
  await call('trackEmail', {}, inTour);
  const { emails } = await call<{ emails: Values[] }>('listEmails', inTour);
  await call('getEmail', { id: emails[0]!.id! });
  for (let seen = 0; seen < 3; await new Promise((resolve) => setTimeout(resolve, 50))) {
    seen = (await call<{ events: [] }>('listEmailEvents', { id: email.emailTrackingId! })).events.length;
  }
  const [contact] = await call<Values[]>('listContacts', { search: 'READER' });
  const { engagementScore } = await call('getContact', { email: contact!.email! });
  const { campaigns } = await call<{ campaigns: Values[] }>('listCampaigns');
  const { stats } = await call<{ stats: Values }>('getCampaign', { id: campaigns[0]!.id! });
  await call('archiveCampaign', { id: id! });
  const key = await call('createKey');
  await call('listKeys');
  await call('revokeKey', { id: key.id! });
  return { ...stats, engagementScore: engagementScore! };
}
