import { prepare } from './prepare.mjs';

// npm run build: installs the packages of the lock file and compiles the service and its dashboard into dist/.
await prepare();
