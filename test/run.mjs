/**
 * `npm test`: installs, builds, fetches the Debian packages that some suites need (when it may), and runs jest on the
 * compiled output. Arguments go to jest. Ends with `N passed, N failed`; under CI a skipped test is a failure.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { installPackages } from './support/debian.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** Debian packages that suites need, and what shows that each is there. */
const packages = [
  { name: 'softhsm2', file: '/usr/lib/softhsm/libsofthsm2.so', suites: 'PKCS#11' },
  { name: 'xmlsec1', command: 'xmlsec1', suites: 'xmlsec1 peer' },
  { name: 'libxml2-utils', command: 'xmllint', suites: 'xmllint differential' },
];

const results = resolve(root, '.build/jest.json');

function run(command, args, options = {}) {
  const outcome = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    ...options,
  });
  return outcome.status ?? 1;
}

function summarise() {
  if (!existsSync(results)) return { passed: 0, failed: 1, skipped: 0 };
  const report = JSON.parse(readFileSync(results, 'utf8'));
  const brokenSuites = report.testResults.filter(
    (suite) => suite.status === 'failed' && suite.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenSuites.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function main() {
  if (run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error']) !== 0) return 1;
  for (const each of installPackages(packages)) {
    console.log(`${each.suites} suites are skipped: install the Debian package ${each.name} to run them`);
  }
  if (run('npm', ['run', '--silent', 'build:test']) !== 0) return 1;
  const jest = [
    '--experimental-vm-modules',
    '--no-warnings',
    'node_modules/jest/bin/jest.js',
    '--json',
    `--outputFile=${results}`,
  ];
  const status = run(process.execPath, [...jest, ...process.argv.slice(2)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { passed, failed, skipped } = summarise();
  if (skipped > 0) console.log(`${skipped} skipped`);
  console.log(`${passed} passed, ${failed} failed`);
  return status !== 0 || failed > 0 || (skipped > 0 && process.env.CI === 'true') ? 1 : 0;
}

process.exitCode = main();
