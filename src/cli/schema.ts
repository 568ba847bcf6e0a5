import type { Command } from 'commander';

export function register(program: Command): void {
  program
    .command('schema')
    .argument('[file]', 'gateway or service', 'gateway')
    .description('JSON Schema of a configuration file, for editors')
    .option('--json', 'as JSON, which it is anyway')
    .addHelpText(
      'after',
      '\nExample:\n  countersign schema service > service.schema.json\n\nIn the policy file:\n  # yaml-language-server: $schema=service.schema.json',
    )
    .action(async (file: string) => {
      const { CountersignError } = await import('../core/errors.js');
      const { gatewayJsonSchema, serviceJsonSchema } = await import('../policy/schema/json.js');
      const { policyTables } = await import('../compose.js');
      const { printJson } = await import('./output.js');
      if (file === 'gateway') printJson(gatewayJsonSchema());
      else if (file === 'service') printJson(serviceJsonSchema(policyTables().steps));
      else throw new CountersignError('USAGE', `there is no schema ${file}: gateway or service`);
    });
}
