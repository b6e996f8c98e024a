// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/config_view.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/client/view/document.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

const LayerValue* winner(const ExplainedKey& key) {
  const auto found =
      std::find_if(key.layers.rbegin(), key.layers.rend(), [](const LayerValue& layer) { return layer.wins; });
  return found == key.layers.rend() ? nullptr : &*found;
}

bool is_built_in(const ExplainedKey& key) {
  const LayerValue* layer = winner(key);
  return layer == nullptr || layer->layer == "built-in";
}

Json layer_of(const LayerValue& layer) {
  Json object{{"layer", layer.layer}, {"wins", layer.wins}};
  if (layer.says) object["value"] = layer.value;
  if (!layer.place.empty()) object["place"] = layer.place;
  return object;
}

Json key_of(const ExplainedKey& key) {
  Json object{{"key", key.key}, {"doc", key.doc}};
  if (const LayerValue* layer = winner(key)) {
    object["value"] = key.value;
    object["from"] = layer->layer;
    if (!layer->place.empty()) object["place"] = layer->place;
  }
  return object;
}

}  // namespace

std::string explained_key(const ExplainedKey& key, const Style& style) {
  std::string text = paint(style, Colour::bold, key.key + (key.value.empty() || key.joined ? "" : " = " + key.value)) +
                     "   " + key.doc + (key.joined ? " Layers are merged by name." : "") + "\n";
  std::vector<Row> rows;
  for (const LayerValue& layer : key.layers) {
    const Colour colour = layer.wins ? Colour::green : layer.says ? Colour::none : Colour::dim;
    rows.push_back(
        {{layer.wins ? "→" : ""}, {layer.layer, colour}, {or_dash(layer.value), colour}, {layer.place, colour}});
  }
  return text + table(rows, style, 2);
}

std::string explained_keys_json(const std::vector<ExplainedKey>& keys) {
  Json list = Json::array();
  for (const ExplainedKey& key : keys) {
    Json object = key_of(key);
    object["layers"] = Json::array();
    for (const LayerValue& layer : key.layers) object["layers"].push_back(layer_of(layer));
    list.push_back(std::move(object));
  }
  return document_of("key", Json{{"keys", list}});
}

std::string config_table(const std::vector<ExplainedKey>& keys, const Style& style, bool all) {
  std::vector<Row> rows{{{"KEY", Colour::bold}, {"VALUE", Colour::bold}, {"FROM", Colour::bold}}};
  for (const ExplainedKey& key : keys) {
    if (is_built_in(key) && !all) continue;
    const LayerValue* layer = winner(key);
    const std::string place = layer == nullptr || layer->place.empty() ? "" : "  " + layer->place;
    rows.push_back({{key.key}, {or_dash(key.value)}, {(layer == nullptr ? "–" : layer->layer) + place}});
  }
  return rows.size() == 1 ? "" : table(rows, style);
}

std::string config_json(const std::vector<ExplainedKey>& keys, const std::vector<ConfigFile>& files) {
  Json list = Json::array();
  for (const ExplainedKey& key : keys) list.push_back(key_of(key));
  Json places = Json::array();
  for (const ConfigFile& file : files)
    places.push_back({{"layer", file.layer}, {"file", file.path}, {"there", file.there}});
  return document_of("config", Json{{"keys", list}, {"files", places}});
}

std::string config_files_table(const std::vector<ConfigFile>& files, const Style& style) {
  std::vector<Row> rows{{{"LAYER", Colour::bold}, {"THERE", Colour::bold}, {"FILE", Colour::bold}}};
  for (const ConfigFile& file : files) rows.push_back({{file.layer}, {file.there ? "yes" : "no"}, {file.path}});
  return table(rows, style);
}

}  // namespace muster
