// A stdio plugin: one line of JSON is a request, one line of JSON is its answer, until stdin ends.
// Only answers may go to stdout. What is printed to stderr goes to the log.

const readline = require("node:readline");

let calls = 0; // the process lives on, so it can remember

const answers = {
  activate(params) {
    console.error(`activated as ${params.pluginId}`);
    return { hooks: [{ event: "PreToolUse", matcher: "Shell*" }] };
  },

  hook(params) {
    calls += 1;
    const { command = "" } = JSON.parse(params.toolInput || "{}");
    const words = command.split(/\s+/);
    if (words.includes("push") && (words.includes("-f") || words.includes("--force"))) {
      return { hook_result: { decision: "deny", message: "do not rewrite published history" } };
    }
    return { hook_result: { decision: "allow", data: { calls } } };
  },

  deactivate() {
    return {};
  },
};

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  let answer;
  try {
    const request = JSON.parse(line);
    answer = answers[request.method](request.params ?? {});
  } catch (error) { // a failure: for a guard, hookrun denies
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
