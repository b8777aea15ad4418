import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NetworkTable, readNetwork, type Network } from '../../platform/addresses/network-table.js';
import { CsvReader } from '../../platform/csv/csv-reader.js';
import { OperatorError } from '../../platform/errors/operator-error.js';
import { codeOfVerdict, type Verdict, type VerdictCode } from '../verdict.js';
import type { HitKind } from './agents.js';

const OWN_FILE = join(import.meta.dirname, 'scanner-networks.csv');
const SCOPES = { opens: 'open', clicks: 'click', both: undefined } as const;
const OTHER = 'network:other';
/** People also use its addresses, and its automatic requests are prefetches. */
const RELAY = 'network:apple-egress';

/** The sign that a client's network gives for its hits. */
export interface NetworkSign {
  readonly code: VerdictCode;
  readonly certainty: Verdict['certainty'];
  /**
   * True for a relay of people's requests, whose addresses are a sign only together with a user agent that is no
   * browser.
   */
  readonly isRelay: boolean;
  readonly only: HitKind | undefined;
  /** The network with the source of the line and its date. */
  readonly line: string;
}

export type ScannerNetworks = NetworkTable<NetworkSign>;

/**
 * Reads networks from a CSV file with the columns cidr, scope (opens, clicks or both), certainty (certain or probable),
 * name, source and date. Lines that begin with # are comments.
 * @param file the file to read instead of the one of this release
 * @throws OperatorError that names the setting, the file and the line
 */
export function readScannerNetworks(file = OWN_FILE): ScannerNetworks {
  return new NetworkTable(linesOf(file).map((line) => networkOf(line, file)));
}

type Line = readonly string[];

const COMMENT = /^#.*$/gm;

/** The lines after the header. */
function linesOf(file: string): Line[] {
  try {
    const reader = new CsvReader();
    const rows = [...reader.push(readFileSync(file, 'utf8').replace(COMMENT, '')), ...reader.end()];
    return rows.slice(1).map(({ fields }) => fields.map((field) => field.trim()));
  } catch (error) {
    throw new OperatorError(`SCANNER_NETWORKS_FILE: ${file} cannot be read: ${(error as Error).message}`);
  }
}

function networkOf(line: Line, file: string): Network & { value: NetworkSign } {
  const [cidr = '', scope = '', certainty = '', name = '', source = '', date = '', ...others] = line;
  const network = readNetwork(cidr);
  const isKnown = Object.hasOwn(SCOPES, scope) && (certainty === 'certain' || certainty === 'probable');
  if (others.length > 0 || !network || !isKnown || name === '' || source === '' || !/^\d{4}-\d{2}-\d{2}$/.test(date)) {
    throw new OperatorError(`SCANNER_NETWORKS_FILE: ${file} has an invalid line: ${line.join(',')}`);
  }
  const code = codeOf(`network:${name}`, certainty);
  const isRelay = `network:${name}` === RELAY;
  return {
    ...network,
    value: {
      code,
      certainty,
      isRelay,
      only: SCOPES[scope as keyof typeof SCOPES],
      line: `${cidr} (${source}, ${date})`,
    },
  };
}

/** Networks that this release has no word for get the word `other`. */
function codeOf(reason: string, certainty: Verdict['certainty']): VerdictCode {
  const verdict = certainty === 'certain' ? 'scanner' : 'human';
  try {
    return codeOfVerdict({ class: verdict, reason, certainty });
  } catch {
    return codeOfVerdict({ class: verdict, reason: OTHER, certainty });
  }
}
