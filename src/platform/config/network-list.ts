import { readNetwork, type Network } from '../addresses/network-table.js';
import type { Variable } from './setting-types.js';

/** A list of networks, which is empty when the variable is unset. */
export function networkList(about: { description: string; example: string }): Variable<readonly Network[]> {
  return {
    ...about,
    expectation: 'a comma-separated list of IP addresses or networks in CIDR notation',
    fallback: { value: [], text: '' },
    read: (text) => {
      const networks = text.split(',').map((entry) => readNetwork(entry.trim()));
      return networks.every((network) => network !== undefined) ? networks : undefined;
    },
  };
}
