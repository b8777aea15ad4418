import { Inject, Injectable } from '@nestjs/common';
import {
  credentialNames,
  readCredentials,
  type ProviderCredentials,
  type ProviderType,
} from '../../platform/config/provider-credentials.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { readSmtpUrl } from '../../platform/config/smtp-server-address.js';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { GuardedSockets } from '../../platform/outbound-http/guarded-sockets.js';
import { lacksLogin } from './smtp-login.js';

const MAX_URL_LENGTH = 2_048;
const NO_LOGIN = 'must have a user and password, as in smtps://user:password@smtp.example.com:465';

/** They decide how much of a worker the mail of one organization may use. */
const OPTIONS_OF_OPERATORS = [
  'connectionTimeout',
  'greetingTimeout',
  'socketTimeout',
  'maxConnections',
  'maxMessages',
] as const;

/** Checks which credentials an organization may use for a provider of its own. */
@Injectable()
export class CredentialsCheck {
  constructor(
    private readonly sockets: GuardedSockets,
    @Inject(SETTINGS) private readonly settings: Pick<RunSettings, 'WEBHOOK_ALLOW_PRIVATE_ADDRESSES'>,
  ) {}

  /**
   * Accepts exactly the fields of the type. The name of a mail server may be any: every connection
   * checks its addresses.
   * @throws InvalidFieldError without any value
   */
  check(type: ProviderType, given: object): ProviderCredentials[ProviderType] {
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
    const names = credentialNames(type);
    if (Object.keys(fields).some((name) => !names.includes(name)))
      throw new InvalidFieldError('credentials', `of the type ${type} has only the fields ${names.join(', ')}`);
    const credentials: ProviderCredentials[ProviderType] = readCredentials(type, fields, (name, problem) => {
      throw new InvalidFieldError(`credentials.${name}`, problem);
    });
    if ('url' in credentials) this.requireAllowedServer(credentials.url);
    return credentials;
  }

  private requireAllowedServer(url: string): void {
    const problem = problemOf(url) ?? this.refusalOf(url) ?? (lacksLogin(url, this.settings) ? NO_LOGIN : undefined);
    if (problem !== undefined) throw new InvalidFieldError('credentials.url', problem);
  }

  private refusalOf(url: string): string | undefined {
    const { host, port } = readSmtpUrl(url);
    // Host names of such URLs keep their case.
    return this.sockets.refusalOfServer(host.toLowerCase(), port);
  }
}

function problemOf(url: string): string | undefined {
  if (url.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
  if (!/^[\x21-\x7e]+$/.test(url)) return 'must have only printable ASCII characters, others percent-encoded';
  const options = readSmtpUrl(url);
  const forbidden = OPTIONS_OF_OPERATORS.filter((name) => name in options);
  return forbidden.length > 0 ? `must not have the options ${forbidden.join(', ')}` : undefined;
}
