/** The list of all commands, from which keys, menus and the command palette are made. */
import { asRinglabError, report } from '../state/index.ts';
import { arrangeCommands } from './arrange-commands.ts';
import type { Command, CommandId } from './command.ts';
import { editCommands } from './edit-commands.ts';
import { exchangeCommands } from './exchange-commands.ts';
import { labCommands } from './lab-commands.ts';
import { linkCommands } from './link-commands.ts';
import { nodeCommands } from './node-commands.ts';
import { runCommands } from './run-commands.ts';
import { viewCommands } from './view-commands.ts';

/** Without it a command that fails would seem to have done nothing. */
const reporting = (command: Command): Command => ({
  ...command,
  run(context) {
    try {
      command.run(context);
    } catch (error) {
      report(asRinglabError(error));
    }
  },
});

export const commands: readonly Command[] = [
  ...editCommands,
  ...nodeCommands,
  ...linkCommands,
  ...arrangeCommands,
  ...viewCommands,
  ...labCommands,
  ...runCommands,
  ...exchangeCommands,
].map(reporting);

const byId = new Map(commands.map((command) => [command.id, command]));
export function commandOf(id: CommandId): Command {
  const command = byId.get(id);
  if (command === undefined) throw new Error(`no command is called ${id}`);
  return command;
}
