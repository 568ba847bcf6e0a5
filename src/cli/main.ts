#!/usr/bin/env node
/**
 * The command as it is called. The build puts the program and its libraries into a few files (docs/adr/0015): that starts in half
 * the time of some 300 modules. Without the bundle the modules themselves run.
 */
import { existsSync } from 'node:fs';

const bundle = new URL('../bundle/program.js', import.meta.url);
await import(existsSync(bundle) ? bundle.href : './program.js');
