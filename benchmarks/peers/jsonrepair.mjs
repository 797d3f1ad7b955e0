// Reads a JSON list of texts, writes a JSON list of what jsonrepair makes of each: value or error.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { jsonrepair } = createRequire(process.argv[2] + "/")("jsonrepair");
const texts = JSON.parse(readFileSync(0, "utf8"));
const found = texts.map((text) => {
  try {
    return { value: JSON.parse(jsonrepair(text)) };
  } catch (error) {
    return { error: String(error.message) };
  }
});
process.stdout.write(JSON.stringify(found));
