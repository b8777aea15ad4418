import { Mailbeacon, type MailbeaconOptions } from '../../packages/client/src/index.js';
import type { TestClient, TestService } from '../support/service.js';

/** The client library with a real service. It records the requests that succeeded. */
export class RecordingClient extends Mailbeacon {
  constructor(
    service: TestService,
    client: TestClient,
    /** As in `GET /api/emails`. */
    readonly succeeded: string[] = [],
    options: Partial<MailbeaconOptions> = {},
  ) {
    super({
      url: service.address,
      apiKey: client.apiKey,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (response.ok) succeeded.push(`${init!.method} ${new URL(url as string).pathname}`);
        return response;
      },
      ...options,
    });
  }
}
