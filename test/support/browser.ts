import type { ApiResponse, TestService } from './service.js';

/** A browser at the service: it keeps cookies, and sends the headers that describe the requesting page. */
export class Browser {
  readonly cookies = new Map<string, string>();
  /** Attributes of the cookies as they were set last, by name. */
  readonly attributes = new Map<string, string>();

  constructor(
    private readonly service: Pick<TestService, 'address'>,
    /** Headers of each request, in place of those of a page of the service. */
    private readonly headers: Record<string, string> = {},
  ) {}

  get<Body = Record<string, unknown>>(path: string, headers: Record<string, string> = {}): Promise<ApiResponse<Body>> {
    return this.request('GET', path, undefined, headers);
  }

  post<Body = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse<Body>> {
    return this.request('POST', path, body, headers);
  }

  /** A header with an empty value is left out. */
  async request<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse<Body>> {
    const all = {
      'x-requested-with': 'mailbeacon',
      'sec-fetch-site': 'same-origin',
      ...(method !== 'GET' && { origin: this.service.address }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...this.headers,
      ...headers,
    };
    const response = await fetch(this.service.address + path, {
      method,
      redirect: 'manual',
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    this.keepCookies(response.headers);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as Body };
  }

  private keepCookies(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
      this.attributes.set(name, rest);
      if (rest.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
