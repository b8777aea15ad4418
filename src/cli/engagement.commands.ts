import { isIP } from 'node:net';
import { Option, type Command } from 'commander';
import type { HitKind } from '../events/classification/agents.js';
import { RequestClassifier } from '../events/classification/classify-request.js';
import { explainRequest } from '../events/classification/explain-request.js';
import { readScannerNetworks } from '../events/classification/scanner-networks.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { printJson, readCommandSettings } from './command-context.js';

interface ExplainOptions {
  readonly kind: HitKind;
  readonly agent?: string;
  readonly header: readonly string[];
  readonly ip?: string;
}

export function addEngagementCommands(program: Command, projectDirectory: string): void {
  program
    .command('engagement')
    .description('people and machines among opens and clicks')
    .command('explain')
    .description('show the class of a request and why; nothing of it is stored')
    .addOption(new Option('--kind <kind>', 'what the request hits').choices(['open', 'click']).default('click'))
    .option('--agent <text>', 'user agent')
    .option('--header <line...>', 'headers, each as "Name: value"', [])
    .option('--ip <address>', 'address of the client, behind trusted proxies')
    .action(({ kind, agent, header, ip }: ExplainOptions) => {
      if (ip !== undefined && isIP(ip) === 0) throw new InvalidFieldError('ip', 'must be an IP address');
      const { SCANNER_NETWORKS_FILE } = readCommandSettings(projectDirectory);
      const headers = new Map(header.map(readHeader));
      if (agent !== undefined) headers.set('user-agent', agent);
      const classifier = new RequestClassifier(readScannerNetworks(SCANNER_NETWORKS_FILE));
      printJson(explainRequest(classifier, { kind, headers, address: ip }));
    });
}

function readHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  if (colon < 1) throw new InvalidFieldError('header', 'must be Name: value');
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
}
